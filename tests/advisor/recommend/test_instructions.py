"""Instructions of the options table: what is a command, and how each system types it."""

import re

import pytest

from advisor.model.machine import OsFamily
from advisor.recommend.instructions import kind_of, of_system, pieces_of, typed
from tests.helpers.bundled import bundled_knowledge

BARE_VALUE = re.compile(r"(?:^|\s)[A-Z][A-Z0-9_]*=")
# Words that explain, as no command has them outside quotes.
EXPLAINING = {"for", "from", "in", "old", "or", "the", "then", "unless", "where", "with"}


@pytest.fixture(scope="module")
def commands():
    pieces = [
        of_system(piece)[1] for fact in bundled_knowledge().options for piece in pieces_of(fact.how)
    ]
    return sorted({piece for piece in pieces if kind_of(piece) == "shell"})


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        ("KERAS_BACKEND=torch for code in Keras", "text"),
        ("for code in Keras: KERAS_BACKEND=torch", "text"),
        ("export the network to ONNX as net.onnx, unless it is ONNX already", "text"),
        ("export A=1 (already the default)", "text"),
        ("export A=1 B=2", "shell"),
        ("pip install a==1 (0.9 breaks); or b", "text"),
        ("A=1", "shell"),
        ("A=<number of the card>", "text"),
        ("A=1 python train.py", "shell"),
        ("sudo apt install a", "shell"),
        ("it's a sentence", "text"),
        ("never pass run_eagerly=True to model.compile", "text"),
        ("model.compile(..., jit_compile=True)", "python"),
        ('with torch.autocast("cpu"):', "python"),
    ],
)
def test_a_command_has_no_words_of_explanation(piece, kind):
    assert kind_of(piece) == kind


@pytest.mark.parametrize(
    ("piece", "bash", "powershell"),
    [
        ("A=1", "export A=1", '$env:A = "1"'),
        ("export A=1 B=2", "export A=1 B=2", '$env:A = "1"; $env:B = "2"'),
        ("A=1 python train.py", None, '$env:A = "1"; python train.py'),
        ('A="-D=on" pip install b', None, '$env:A = "-D=on"; pip install b'),
        ("python3 -m venv v && v/bin/pip a", None, "py -m venv v; v\\Scripts\\pip a"),
        ("pip install a", None, None),
    ],
)  # fmt: skip
def test_a_variable_is_set_as_the_shell_sets_it(piece, bash, powershell):
    assert typed(piece, family=OsFamily.LINUX) == (bash or piece)
    assert typed(piece, family=OsFamily.WINDOWS) == (powershell or piece)


def test_every_command_of_the_table_is_one(commands):
    assert len(commands) > 40
    plain = [re.sub(r"\"[^\"]*\"|'[^']*'", "", command) for command in commands]
    assert not [each for each in plain if EXPLAINING & set(each.split())]
    # Packages of the system need its owner.
    assert not [each for each in plain if each.startswith("apt ")]


def test_no_command_for_windows_sets_a_variable_as_bash_does(commands):
    lines = [typed(each, family=OsFamily.WINDOWS) for each in commands]
    windows = [re.sub(r"\"[^\"]*\"|'[^']*'", "", each) for each in lines]
    assert not [each for each in windows if BARE_VALUE.search(each) or each.startswith("export ")]
