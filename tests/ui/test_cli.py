"""The command line as a user meets it: real child processes, exit codes, one line of error."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.model.codec import dump_document, load_document
from advisor.model.machine import MachineProfile
from advisor.model.recommendation import Recommendation
from advisor.report.columns import display_width
from ui.cli import build_parser, run

ROOT = Path(__file__).resolve().parents[2]
A10 = ROOT / "tests" / "data" / "machines" / "a10-7850k" / "profile.json"


def call(*words, **more):
    own = {"PYTHONPATH": str(ROOT), "DL_ADVISOR_PROGRAM": "dl-advisor"}
    environment = {**os.environ, **own, **more.pop("environment", {})}
    return subprocess.run(
        [sys.executable, "-P", "-m", "ui", *map(str, words)],
        capture_output=True, text=True, env=environment, timeout=60, check=False, **more,
    )  # fmt: skip


BAD = [
    (["advise", "--network", "nope"], "no bundled network is called 'nope'"),
    (["advise", "--network", "mnist-cnn", "--batch-size", "0"], "batch"),
    (
        ["advise", "--network", "mnist-cnn", "--batch-size", "x"],
        "--batch-size: 'x' is no whole number",
    ),
    (["advise", "--network", "mnist-cnn", "--samples", "-4"], "samples"),
    (["advise", "--network", "mnist-cnn", "--epochs", "0"], "epochs"),
    (["advise", "--pdf", "/no/such/folder/out.pdf"], "there is no folder /no/such/folder"),
    (["advise", "--pdf", "/proc/out.pdf"], "choose another place"),
    (["advise", "--model", "/no/such/model.keras"], "model.keras: there is no such file"),
    (["advise", "mnist-cnn", "--network", "mnist-mlp"], "give one network"),
    (["advise", "--max-usd", "-1"], "is not a number from 0 to 1e+12"),
    (["advise", "--max-usd", "nan"], "is not a number from 0 to 1e+12"),
    (["advise", "--data-gb", "1e300"], "is not a number from 0 to 1e+12"),
    (["advise", ""], "the name of the network is empty"),
    (["recommend", " "], "the name of the network is empty"),
    (["recommend", "--samples", "9" * 400], "it must be 1.."),
    (["try", "mnist-cnn", "--minutes", "1e9"], "--minutes: 1e+09 minutes are more than a day (see"),
    (["try", "mnist-cnn", "--minutes", "nan"], "'nan' is not a number of minutes above 0"),
    (["try", "mnist-cnn", "--yes"], "--yes goes with --install"),
    (["try", "mnist-cnn", "--find-links", "x"], "--find-links goes with --install"),
    (["try", "mnist-cnn", "--list", "--apply", "shell"], "--list tries nothing"),
    (["recommend", "mnist-cnn", "--profile", "/no/profile.json"], "there is no such file"),
    (["report", "/no/advice.json"], "there is no such file"),
    (["advise", "--model", "."], "dl-advisor: .: this is a folder"),
    (["recommend", "mnist-cnn", "--epochs", "1000000000000"], "must be 1..1000000"),
    (["advise", "--regions", "us-eats-1"], "no offer is in region 'us-eats-1': perhaps us-east-1"),
    (["recommend", "--regions", "narnia"], "no offer is in region 'narnia'"),
    (["recommend", "--regions", ","], "--regions names none: leave it out for any region"),
    (
        ["predict", "mobilenet", "--phase", "inference", "--epochs", "5"],
        "--epochs belongs to training: leave it out in inference",
    ),
    (
        ["recommend", "mobilenet", "--phase", "inference", "--optimizer", "adam"],
        "--optimizer belongs to training: leave it out in inference",
    ),
    (["recommend", "--hours-per-week", "169"], "a week has 168 hours"),
    (["recommend", "--hours-per-week", "0"], "the use in a week must be more than 0 hours"),
    (["advise", "--regions", "narnia"], "'narnia': `dl-advisor prices regions` lists all"),
    (["advise", "--pdf", "same", "--json", "same"], "need files of their own"),
    (["predict", "/dev/zero.keras"], "zero.keras: there is no such file"),
    (["frobnicate"], "invalid choice: 'frobnicate'"),
    (["bench", "--device", "opencl:9:9"], "opencl:9:9"),
    (["bench", "--python", "/no/python"], "/no/python: there is no such interpreter"),
    (["bench", "--sustained", "0"], "0 minutes: give more than 0 and up to 240"),
    (["bench", "--sustained", "9", "--device", "a", "--device", "b"], "give one --device"),
    (["bench", "--sustained", "9", "--network", "mnist-cnn"], "leave --network out"),
]


@pytest.mark.parametrize(
    ("words", "message"), BAD, ids=lambda v: " ".join(v) if isinstance(v, list) else ""
)
def test_bad_input_ends_with_2_and_one_line(words, message, tmp_path):
    done = call(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.startswith("dl-advisor: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_network_whatever_network_sounds_like_it(tmp_path):
    (tmp_path / "docs").mkdir()
    done = call("predict", "docs", cwd=tmp_path)
    assert done.returncode == 2
    assert "docs: not a network: give a .keras, .json or .onnx file" in done.stderr
    # A name of ours is a network, whatever lies beside it.
    (tmp_path / "mnist-cnn").mkdir()
    assert call("predict", "mnist-cnn", "--json", cwd=tmp_path).returncode == 0


def test_no_display_says_what_to_do_instead():
    gone = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    done = call(environment=gone)
    assert done.returncode == 2
    assert "use `dl-advisor advise`" in done.stderr


def test_hints_name_the_program_as_it_was_called():
    words = ("advise", "--regions", "narnia")
    started = {"DL_ADVISOR_PROGRAM": "python3 start.py"}
    assert (
        "'narnia': `python3 start.py prices regions` lists"
        in call(*words, environment=started).stderr
    )
    done = call(*words, environment={"DL_ADVISOR_PROGRAM": ""})
    assert (
        f"`{subprocess.list2cmdline([sys.executable, '-P', '-m', 'ui'])} prices regions`"
        in done.stderr
    )
    done = call("advise", "--no-such", environment=started)
    assert done.stderr.startswith("dl-advisor: ")
    assert done.stderr.endswith("(see python3 start.py --help)\n")
    assert "usage: python3 start.py probe" in call("probe", "--help", environment=started).stdout


def test_version_and_help():
    assert call("--version").stdout.startswith("dl-advisor ")
    for word in ("advise", "probe", "bench", "predict", "recommend", "report", "networks"):
        assert word in call("--help").stdout


def test_probe_json_is_typed():
    done = call("probe", "--json")
    assert done.returncode == 0
    profile = load_document(done.stdout, MachineProfile)
    assert profile.cpu.n_logical_cpus >= 1


def test_networks_are_listed_and_shown():
    assert "cifar10-deep-cnn" in call("networks").stdout
    assert "1,250,858" in call("networks", "cifar10-deep-cnn").stdout


def test_advice_from_a_saved_profile_and_back_from_its_file(tmp_path):
    saved = tmp_path / "advice.json"
    done = call("recommend", "cifar10-deep-cnn", "--profile", A10, "--json", saved)
    assert (done.returncode, done.stderr) == (0, "")
    advice = load_document(saved.read_text(), Recommendation)
    assert advice.profile == load_document(A10.read_text(), MachineProfile)
    done = call("report", saved, "--pdf", tmp_path / "advice.pdf")
    assert done.returncode == 0
    assert (tmp_path / "advice.pdf").read_bytes().startswith(b"%PDF")
    text = call("report", saved).stdout
    assert "The answer" in text


def test_what_a_command_reads_is_not_written_over(tmp_path):
    saved = tmp_path / "advice.json"
    assert call("recommend", "mnist-cnn", "--json", saved).returncode == 0
    before = saved.read_bytes()
    for words in (
        ("report", saved, "--pdf", saved),
        ("recommend", "mnist-cnn", "--profile", saved, "--pdf", saved),
        ("predict", "mnist-cnn", "--profile", saved, "--json", saved),
        ("compare", "--measurements", saved, "--json", saved),
        ("explain", "Theano", "--profile", saved, "--json", saved),
    ):
        done = call(*words)
        assert done.returncode == 2
        assert "is read and would be written over" in done.stderr
        assert saved.read_bytes() == before


def test_report_refuses_a_file_of_another_kind(tmp_path):
    path = tmp_path / "profile.json"
    path.write_text(dump_document(load_document(A10.read_text(), MachineProfile)))
    done = call("report", path)
    assert done.returncode == 2
    assert "holds facts about a machine, not an advice" in done.stderr
    assert "`dl-advisor advise --json FILE` writes such a file" in done.stderr


def test_predict_json_is_the_baseline():
    done = call("predict", "mnist-mlp", "--profile", A10, "--json")
    assert json.loads(done.stdout)["kind"] == "Prediction"


def test_reader_that_goes_away_is_no_error():
    done = subprocess.run(
        f'"{sys.executable}" -P -m ui networks | head -1',
        shell=True, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stderr == ""


def test_plain_ascii_terminals_get_question_marks_not_a_traceback():
    done = call(
        "recommend", "mnist-cnn", "--profile", A10, environment={"PYTHONIOENCODING": "ascii"}
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


LARGE = {
    "PySide6",
    "tensorflow",
    "keras",
    "pyopencl",
    "pyqtgraph",
    "requests",
    "reportlab",
    "numpy",
}


@pytest.mark.parametrize("words", ["--version", "networks", "report --help", "doctor", "probe"])
def test_a_command_loads_no_window_no_framework_and_no_page_setter(words):
    code = (
        "import sys, ui.cli\n"
        "try:\n    ui.cli.run(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        f"large = {LARGE} & set(sys.modules)\n"
        "assert not large, large\n"
    )
    subprocess.run(
        [sys.executable, "-P", "-c", code, *words.split()], check=True, stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60,
    )  # fmt: skip


def test_every_command_has_help():
    parser = build_parser()
    text = parser.format_help()
    assert text.count("\n") > 10


def test_help_and_errors_of_the_parser_are_in_the_language_of_the_user(monkeypatch, capsys):
    monkeypatch.setattr("ui.language.chosen_language", lambda: "zh_CN")
    monkeypatch.setenv("COLUMNS", "80")
    for words in ([], ["try"], ["share", "send"], ["collector"], ["prices"]):
        with pytest.raises(SystemExit) as ended:
            run([*words, "--help"])
        assert ended.value.code == 0
        text = capsys.readouterr().out
        assert text.startswith("用法")
        assert "显示此帮助" in text
        assert not re.search(r"(?<![\w./=-])(?:[a-z]{2,} ){3,}", text), text
        assert max(map(display_width, text.splitlines())) <= 80
    assert run(["try", "mnist-cnn", "--minutes", "0"]) == 2
    assert "不是大于 0 的分钟数" in capsys.readouterr().err


def test_memory_error_is_one_line(monkeypatch, capsys):
    def burst(_options):
        raise MemoryError

    monkeypatch.setattr("ui.commands.networks", burst)
    assert run(["networks"]) == 2
    assert "out of memory: close other programs" in capsys.readouterr().err


def test_interrupt_is_130(monkeypatch, capsys):
    def interrupted(_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("ui.commands.networks", interrupted)
    assert run(["networks"]) == 130
    assert capsys.readouterr().err == "dl-advisor: cancelled\n"


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    """Keep the log out of the user's cache."""
    for name in ("HOME", "LOCALAPPDATA", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


def test_a_fault_of_ours_is_one_line_that_names_the_log(monkeypatch, capsys, own_home):
    def wrong(_options):
        return {}["nothing\nhere"]

    monkeypatch.setattr("ui.commands.networks", wrong)
    assert run(["networks"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "a fault of DL Advisor, not yours: KeyError" in line
    log = Path(line.partition("details in ")[2].rstrip(")"))
    assert own_home in log.parents
    assert "in wrong" in log.read_text(encoding="utf-8")


def test_a_fault_without_a_place_for_the_log_is_one_line_too(monkeypatch, capsys, own_home):
    monkeypatch.setattr("ui.commands.networks", lambda _options: 1 // 0)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert run(["networks"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("(details with --debug)")


def test_with_debug_a_fault_is_shown_whole(monkeypatch, own_home):
    monkeypatch.setattr("ui.commands.networks", lambda _options: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        run(["--debug", "networks"])


@pytest.mark.parametrize("words", [["/home/me/my advice 结果.json"], ["--open", "x"]])
def test_one_saved_file_alone_opens_in_the_window(monkeypatch, words):
    opened = []
    monkeypatch.setattr(
        "ui.window_command.window", lambda options: opened.append(options.open) or 0
    )
    assert run(words) == 0
    assert opened == [words[-1]]


@pytest.mark.parametrize("words", [["mine.onnx"], ["no-such-command"], ["advice.json", "more"]])
def test_anything_else_alone_is_no_file_to_open(capsys, words):
    assert run(words) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_pipe_is_no_model_file(tmp_path):
    pipe = tmp_path / "model.keras"
    os.mkfifo(pipe)
    done = call("predict", pipe)
    assert done.returncode == 2
    assert "not a regular file" in done.stderr


def test_an_impossible_deadline_names_what_comes_nearest():
    done = call("recommend", "resnet-50", "--profile", A10, "--deadline-hours", "1")
    assert done.returncode == 0
    assert "Nothing fits your limits" in done.stdout
    assert "Nearest: " in done.stdout
    assert "your deadline is 1 h" in " ".join(done.stdout.split())


def test_the_job_stands_above_the_figures():
    done = call("recommend", "mnist-cnn", "--profile", A10, "--samples", "1234", "--epochs", "7")
    assert "1,234 samples × 7 epochs" in " ".join(done.stdout.split())
