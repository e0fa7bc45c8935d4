"""Which rows of the table tell something of a network."""

from advisor.model.kernel import Cell, GemmShape, NormShape, OverheadShape
from probes.bench import suite
from probes.bench.likeness import class_of, split_by_network
from probes.bench.suite import Row


def rows(*shapes):
    return [Row(shape=shape) for shape in shapes]


def test_without_a_network_all_rows_tell_something():
    table = rows(suite.gemm(64), suite.conv(1, 3, 8, 4, 3))
    assert split_by_network(table, ()) == (table, [])


def test_rows_of_other_classes_wait_and_keep_their_order():
    products, lstm, gru, call = rows(
        suite.gemm(64),
        suite.recurrent(Cell.LSTM, 1, 2, 3, 4),
        suite.recurrent(Cell.GRU, 1, 2, 3, 4),
        OverheadShape(kind="train_call"),
    )
    alike, others = split_by_network([lstm, products, gru, call], [suite.dense(32, 10, 10)])
    assert alike == [products, call]
    assert others == [lstm, gru]


def test_classes_are_as_fine_as_times_differ():
    plain, thin = suite.conv(1, 8, 8, 8, 3), suite.depthwise(1, 8, 8)
    assert class_of(plain) == class_of(suite.conv(9, 3, 5, 4, 7, stride=2))
    assert class_of(plain) != class_of(thin)
    assert class_of(plain) != class_of(suite.transposed(1, 8, 8, 8, 3))
    assert class_of(plain) != class_of(suite.text_conv(1, 8, 8, 8, 3))
    assert class_of(GemmShape(m=1, n=1, k=1, batch=2)) != class_of(suite.gemm(8))
    assert class_of(NormShape(kind="batch", elements=8, channels=2)) != class_of(
        NormShape(kind="layer", elements=8, channels=2)
    )
    assert class_of(suite.pool("max", 1, 1, 4, 2, 2)) != class_of(
        suite.pool("average", 1, 1, 4, 2, 2)
    )
