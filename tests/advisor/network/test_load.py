import io
import struct
import time
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import InputError, NetworkFileError
from advisor.model.kernel import GemmShape
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import MAX_BATCH_SIZE, Job
from advisor.network.load import (
    NetworkSource,
    bundled_workload,
    load_workload,
    workload_from_bytes,
    workload_from_file,
)
from advisor.network.reading import MAX_CONFIG_BYTES
from tests.advisor.network.networks_data import NETWORKS, encoded, functional, layer, sequential

SMALL = sequential((9,), layer("Dense", name="one", units=4), layer("Dense", name="two", units=2))


def archive(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files.items():
            made.writestr(name.replace("_", "."), data)
    return buffer.getvalue()


def refusal(data: bytes, name: str = "mine.keras") -> str:
    """The one line with which a file is refused, in less than two seconds of the processor."""
    began = time.process_time()
    with pytest.raises(NetworkFileError) as caught:
        workload_from_bytes(data, name=name, job=Job())
    assert time.process_time() - began < 2.0
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"{name}: ")
    return text


def test_a_keras_archive_is_read_without_its_weights():
    data = archive(config_json=encoded(SMALL), model_weights_h5=b"\x80\x04 never opened")
    workload = workload_from_bytes(data, name="mine.keras", job=Job(batch_size=8))
    assert workload.network == "mine.keras"
    assert workload.title == "mine"
    assert (workload.parameters, workload.variables) == (9 * 4 + 4 + 4 * 2 + 2, 4)
    assert [op.shape for op in workload.operators] == [
        GemmShape(m=8, n=4, k=9),
        GemmShape(m=8, n=2, k=4),
    ]
    assert [op.inputs for op in workload.operators] == [(), (0,)]
    assert [op.needs_input_gradient for op in workload.operators] == [False, True]


def test_open_values_take_the_defaults_of_a_file():
    workload = workload_from_bytes(encoded(SMALL), name="mine.json", job=Job())
    assert (workload.batch_size, workload.samples, workload.epochs) == (32, 10_000, 10)
    assert workload.optimizer == "adam"


def test_open_values_take_the_usual_ones_of_a_bundled_network():
    workload = bundled_workload("mnist-cnn", job=Job(), networks=NETWORKS)
    assert (workload.batch_size, workload.samples, workload.epochs) == (128, 60_000, 12)
    assert workload.optimizer == "adadelta"
    assert workload.steps_per_epoch == 469


def test_what_is_asked_goes_before_what_is_usual():
    job = Job(batch_size=7, samples=100, epochs=3, optimizer="sgd", precision=Precision.BFLOAT16)
    workload = bundled_workload("mnist-cnn", job=job, networks=NETWORKS)
    assert (workload.batch_size, workload.samples, workload.epochs) == (7, 100, 3)
    assert (workload.optimizer, workload.precision) == ("sgd", Precision.BFLOAT16)
    assert workload.total_steps == 45


def test_a_workload_says_which_sizes_nobody_gave():
    def assumed(**given):
        return bundled_workload("mnist-cnn", job=Job(**given), networks=NETWORKS).assumed

    assert assumed() == ("samples", "epochs")
    assert assumed(epochs=12) == ("samples",)
    assert assumed(samples=60_000, epochs=12) == ()
    assert assumed(phase=Phase.INFERENCE) == ("samples",)
    # It is the same job as with the usual values given.
    job = Job(samples=60_000, epochs=12)
    assert bundled_workload("mnist-cnn", job=Job(), networks=NETWORKS) == bundled_workload(
        "mnist-cnn", job=job, networks=NETWORKS
    )


def test_another_number_of_epochs_is_given_by_whoever_asks_for_it():
    work = bundled_workload("mnist-cnn", job=Job(), networks=NETWORKS)
    assert work.with_epochs(work.epochs).assumed == ("samples", "epochs")
    other = work.with_epochs(50)
    assert (other.epochs, other.assumed) == (50, ("samples",))


def test_inference_leaves_dropout_out_and_asks_for_samples_once():
    training = bundled_workload("mnist-cnn", job=Job(), networks=NETWORKS)
    job = Job(phase=Phase.INFERENCE)
    inference = bundled_workload("mnist-cnn", job=job, networks=NETWORKS)
    types = [op.layer_type for op in inference.operators]
    assert "Dropout" not in types
    assert "Dropout" in [op.layer_type for op in training.operators]
    assert inference.epochs == 1
    assert inference.memory_bytes < training.memory_bytes


def test_the_note_of_a_network_reaches_the_workload():
    workload = bundled_workload("prylipko-cnn", job=Job(), networks=NETWORKS)
    assert any("64 x 64" in note for note in workload.notes)


@pytest.mark.parametrize(
    ("job", "says"),
    [
        (Job(batch_size=0), "batch size is 0"),
        (Job(batch_size=MAX_BATCH_SIZE + 1), "it must be 1..65536"),
        (Job(samples=0), "samples is 0"),
        (Job(epochs=-1), "epochs is -1"),
        (Job(optimizer="magic"), "use one of adadelta"),
        (Job(precision=Precision.INT8), "int8 is for inference"),
    ],
)
def test_jobs_that_cannot_be_are_refused(job, says):
    with pytest.raises(InputError, match=says):
        bundled_workload("mnist-mlp", job=job, networks=NETWORKS)
    with pytest.raises(InputError, match=says):
        workload_from_bytes(encoded(SMALL), name="mine.json", job=job)


def test_numbers_of_another_type_are_refused():
    with pytest.raises(InputError, match="whole number"):
        workload_from_bytes(encoded(SMALL), name="mine.json", job=Job(batch_size=2.5))


def test_a_source_is_a_name_or_a_file(tmp_path):
    path = tmp_path / "mine.json"
    path.write_bytes(encoded(SMALL))
    by_file = load_workload(NetworkSource(path=path), job=Job(), networks=NETWORKS)
    by_name = load_workload(NetworkSource(name="mnist-mlp"), job=Job(), networks=NETWORKS)
    assert (by_file.network, by_name.network) == ("mine.json", "mnist-mlp")
    for source in (NetworkSource(), NetworkSource(name="mnist-mlp", path=path)):
        with pytest.raises(InputError, match="either"):
            load_workload(source, job=Job(), networks=NETWORKS)


def test_files_are_read_from_disk(tmp_path):
    path = tmp_path / "mine.keras"
    path.write_bytes(archive(config_json=encoded(SMALL)))
    assert workload_from_file(path, job=Job()).parameters == 50


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("old.h5", "save the model again as .keras"),
        ("model.pth", "torch.onnx.export"),
        ("model.pkl", "hold code"),
        ("saved_model.pb", "export it to ONNX"),
    ],
)
def test_formats_that_hold_code_are_refused_by_name(tmp_path, name, says):
    path = tmp_path / name
    path.write_bytes(b"anything")
    with pytest.raises(NetworkFileError, match=says):
        workload_from_file(path, job=Job())


def test_folders_and_missing_files_are_refused(tmp_path):
    with pytest.raises(NetworkFileError, match="this is a folder"):
        workload_from_file(tmp_path, job=Job())
    with pytest.raises(NetworkFileError, match=r"none\.keras: there is no such file"):
        workload_from_file(tmp_path / "none.keras", job=Job())


def test_a_zip_bomb_is_refused_by_its_declared_size():
    bomb = archive(config_json=b" " * (MAX_CONFIG_BYTES + 1))
    assert len(bomb) < 100_000
    assert "declares 6 MB" in refusal(bomb)


def test_a_configuration_that_declares_a_gigabyte_is_refused():
    data = bytearray(archive(config_json=encoded(SMALL)))
    directory = data.rindex(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = struct.pack("<I", 1024**3)
    assert "declares 1024 MB" in refusal(bytes(data))


def test_a_declared_size_that_lies_is_refused():
    data = bytearray(archive(config_json=b" " * (MAX_CONFIG_BYTES + 1)))
    directory = data.rindex(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = struct.pack("<I", 100)
    assert "broken" in refusal(bytes(data))


def test_an_archive_of_endless_entries_is_refused():
    data = bytearray(archive(config_json=encoded(SMALL)))
    end = data.rindex(b"PK\x05\x06")
    data[end + 8 : end + 12] = struct.pack("<HH", 60_000, 60_000)
    assert "60000 entries" in refusal(bytes(data))


def test_an_archive_without_a_configuration_is_refused():
    assert "no config.json" in refusal(archive(weights_h5=b"x"))


def test_a_cut_off_archive_is_refused():
    assert "cut off" in refusal(archive(config_json=encoded(SMALL))[:-30])


def test_a_corrupt_archive_is_refused():
    data = bytearray(archive(config_json=encoded(SMALL) * 3))
    data[60:70] = b"\xff" * 10
    assert "broken" in refusal(bytes(data))


def test_deeply_nested_text_is_refused():
    assert "nested too deeply" in refusal(b"[" * 500_000, "deep.json")


def test_deeply_nested_models_are_refused():
    model = SMALL
    for _ in range(40):
        model = sequential((9,), model)
    assert "nested deeper" in refusal(encoded(model), "deep.json")


def test_deeply_nested_references_are_refused():
    reference: object = ["feed", 0, 0]
    for _ in range(20):
        reference = [reference]
    model = functional({"feed": (9,)}, {"one": (layer("Dense", units=2), ["feed"])}, ["one"])
    model["config"]["layers"][1]["inbound_nodes"] = [reference]
    assert "nested too deeply" in refusal(encoded(model), "deep.json")


def test_a_model_of_very_many_layers_is_refused():
    many = b",".join([b'{"class_name":"ReLU","config":{},"inbound_nodes":[[["a",0,0]]]}'] * 90_000)
    data = b'{"class_name":"Functional","config":{"input_layers":[],"layers":[' + many + b"]}}"
    assert "more than 20000 layers" in refusal(data, "wide.json")


def test_text_that_is_not_json_is_refused():
    assert "holds no Keras JSON, line 2 is something else" in refusal(b'{"a": 1,\n', "mine.json")
    assert refusal(b"Buy milk.", "notes.txt") == (
        "notes.txt: holds no Keras JSON, line 1 is something else: "
        "save the model with model.save('name.keras') or model.to_json()"
    )
    assert refusal(b"\xff\xfe\x00", "wrong.keras") == (
        "wrong.keras: neither a Keras archive nor text: "
        "save the model with model.save('name.keras')"
    )
    assert refusal(b"", "mine.json") == "mine.json: the file is empty"
    assert "not a Keras model" in refusal(b"[1, 2]", "mine.json")


def test_a_pickle_is_not_opened():
    assert "neither a Keras archive nor text" in refusal(
        b"\x80\x04\x95cposix\nsystem\n(S'touch /tmp/x'\ntR.", "mine.keras"
    )


@pytest.mark.alone
def test_two_hundred_layers_take_less_than_a_second():
    layers = [layer("Dense", name=f"d{i}", units=64, activation="relu") for i in range(200)]
    began = time.perf_counter()
    workload = workload_from_bytes(encoded(sequential((64,), *layers)), name="l.json", job=Job())
    assert time.perf_counter() - began < 1.0
    assert len(workload.operators) == 400


_NAMES = st.sampled_from(["mnist-cnn", "text-generator", "resnet-56", "alexnet-r"])


@given(name=_NAMES, batch=st.integers(1, MAX_BATCH_SIZE))
@settings(max_examples=25, deadline=None)
def test_counts_of_a_sample_do_not_depend_on_the_batch(name, batch):
    one = bundled_workload(name, job=Job(batch_size=1), networks=NETWORKS)
    many = bundled_workload(name, job=Job(batch_size=batch), networks=NETWORKS)
    assert many.parameters == one.parameters
    assert many.variables == one.variables
    assert many.multiply_adds_per_sample == one.multiply_adds_per_sample
    assert len(many.operators) == len(one.operators)
    for small, large in zip(one.operators, many.operators, strict=True):
        assert large.output_elements == batch * small.output_elements
    assert many.memory_training_bytes >= one.memory_training_bytes


@given(units=st.lists(st.integers(1, 500), min_size=1, max_size=8), batch=st.integers(1, 64))
@settings(max_examples=40, deadline=None)
def test_more_layers_never_cost_less(units, batch):
    layers = [layer("Dense", name=f"d{i}", units=n) for i, n in enumerate(units)]
    job = Job(batch_size=batch)
    before = None
    for count in range(1, len(layers) + 1):
        data = encoded(sequential((9,), *layers[:count]))
        workload = workload_from_bytes(data, name="mine.json", job=job)
        if before is not None:
            assert workload.parameters > before.parameters
            assert workload.multiply_adds_per_sample > before.multiply_adds_per_sample
            assert len(workload.operators) == len(before.operators) + 1
        before = workload


@given(
    junk=st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(max_size=5)
        | st.floats(allow_nan=False),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "class_name",
                        "config",
                        "layers",
                        "name",
                        "inbound_nodes",
                        "units",
                        "x",
                        "input_layers",
                        "output_layers",
                        "batch_shape",
                        "layer",
                        "cell",
                    ]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=25,
    ),
    place=st.integers(0, 6),
)
@settings(max_examples=300, deadline=None)
def test_any_json_is_read_or_refused(junk, place):  # fmt: skip
    """Whatever stands in the file, the answer is a workload or one line."""
    wide = layer("Dense", units=3, activation="relu")
    model = functional({"feed": (9,)}, {"one": (wide, ["feed"]), "two": (wide, ["one"])}, ["two"])
    config = model["config"]
    match place:
        case 0:
            model = junk
        case 1:
            config["layers"] = junk
        case 2:
            config["layers"][1]["config"] = junk
        case 3:
            config["layers"][1]["inbound_nodes"] = junk
        case 4:
            config["output_layers"] = junk
        case 5:
            config["layers"][0]["config"] = junk
        case 6:
            config["layers"][2] = junk
    said = ""
    try:
        workload_from_bytes(encoded(model), name="junk.json", job=Job())
    except NetworkFileError as error:
        said = str(error)
    assert "\n" not in said


def test_the_inputs_of_a_network_are_counted():
    calls = {"both": (layer("Add"), ["a", "b"])}
    config = functional({"a": (8,), "b": (8,)}, calls, ["both"])
    found = workload_from_bytes(encoded(config), name="two.json", job=Job())
    assert found.n_inputs == 2
    plain = sequential((8,), layer("Dense", units=2))
    assert workload_from_bytes(encoded(plain), name="one.json", job=Job()).n_inputs == 1
