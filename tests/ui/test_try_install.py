"""`try --install` as a user meets it: sizes first, then the question, then a real environment."""

import pytest

from tests.helpers.wheels import write_wheel
from ui import try_install
from ui.cli import run


def made(name="jax"):
    return try_install.environment_folder(name).exists()


def test_what_can_be_installed_has_a_size_with_its_source():
    facts = try_install.private_facts()
    assert {"jax", "onnxruntime", "openvino"} <= set(facts)
    for entry in facts.values():
        assert entry.packages
        assert 10 << 20 < entry.size_bytes < 4 << 30
        assert entry.basis
        assert all(name in entry.source for name in entry.packages)


def test_size_and_folder_are_shown_and_nothing_is_installed_without_consent(capsys):
    assert run(["try", "mnist-mlp", "--install", "jax"]) == 2
    output = capsys.readouterr()
    assert "688 MiB" in output.out
    assert "PyPI: jax" in output.out
    assert str(try_install.environment_folder("jax")) in output.out
    assert "--yes" in output.err
    assert len(output.err.splitlines()) == 1
    assert not made()


@pytest.mark.parametrize(("answer", "is_yes"), [("y\n", True), ("no\n", False), ("", False)])
def test_somebody_at_the_terminal_is_asked(monkeypatch, capsys, answer, is_yes):
    import io
    import sys

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    assert try_install._agrees(try_install.user_translator()) is is_yes
    assert "[y/N]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--install", "nonsense"], "choose among jax"),
        (["--install", "openvino", "--yes"], "add --phase inference"),
        (["--uninstall", "nonsense"], "choose among jax"),
        (["--install", "jax", "--yes", "--find-links", "/no/folder"], "no such folder"),
        (["--install", "jax", "--uninstall", "jax"], "not allowed"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, words):
    assert run(["try", "mnist-mlp", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1
    assert not made()
    assert not made("openvino")


def test_an_environment_is_made_tried_used_again_and_removed(capsys, tmp_path):
    for name in ("jax", "keras"):
        write_wheel(tmp_path, name)
    words = ["try", "mnist-mlp", "--install", "jax", "--list"]
    assert run([*words, "--yes", "--find-links", str(tmp_path)]) == 0
    assert "backend-jax" in capsys.readouterr().out
    assert made()
    assert run(words) == 0
    output = capsys.readouterr()
    assert "backend-jax" in output.out
    assert "MiB" not in output.out
    assert run(["try", "--uninstall", "jax"]) == 0
    assert "was removed" in capsys.readouterr().out
    assert not made()
    assert run(["try", "--uninstall", "jax"]) == 0
    assert "not installed" in capsys.readouterr().out


def test_packages_that_are_not_there_leave_nothing(capsys, tmp_path):
    words = ["try", "mnist-mlp", "--install", "jax", "--yes", "--find-links", str(tmp_path)]
    assert run(words) == 2
    error = capsys.readouterr().err
    assert "pip failed" in error
    assert len(error.splitlines()) == 1
    assert not list(try_install.environment_folder("jax").parent.glob("*"))
