"""Command lines of workers."""

import sys
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.model.measurement import Setting
from probes.bench.commands import run_worker_here, worker_command, worker_script

THREADS = Setting(name="OMP_NUM_THREADS", value="2")


def test_from_the_sources_the_script_is_run_by_the_interpreter():
    command = worker_command("main", settings=(THREADS,))
    assert command.argv[0] == sys.executable
    assert Path(command.argv[-2]) == worker_script("main")
    assert command.argv[-1] == "main"
    assert worker_command("opencl_list").argv[-2:] == (str(worker_script("main")), "opencl_list")
    assert command.environment == (THREADS,)
    other = worker_command("main", python="/venv/bin/python")
    assert other.argv[0] == "/venv/bin/python"


def test_a_frozen_app_calls_itself_and_gives_others_their_libraries(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/app")
    command = worker_command("main", settings=(THREADS,))
    assert command.argv == (sys.executable, "--worker", "main")
    other = worker_command("main", python="/venv/bin/python", settings=(THREADS,))
    assert other.argv[0] == "/venv/bin/python"
    assert "-B" in other.argv, "an installed app's folder stays as it was installed"
    assert "-B" not in command.argv
    assert other.environment == (Setting(name="LD_LIBRARY_PATH", value=""), THREADS)


@pytest.mark.parametrize("ending", ["", ".exe"])
def test_the_window_program_of_a_frozen_app_starts_workers_in_the_console_program(
    monkeypatch, tmp_path, ending
):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    window, console = tmp_path / f"dl-advisor-gui{ending}", tmp_path / f"dl-advisor{ending}"
    monkeypatch.setattr(sys, "executable", str(window))
    assert worker_command("main").argv[0] == str(window), "there is no other"
    console.touch()
    assert worker_command("main").argv[0] == str(console)
    monkeypatch.setattr(sys, "executable", str(console))
    assert worker_command("main").argv[0] == str(console)


@pytest.mark.parametrize("name", ["nothing", "../main", "main.py", "", "Main", "kernels"])
def test_what_is_no_worker_is_refused(name):
    with pytest.raises(InputError, match="no worker"):
        worker_command(name)


def test_the_app_becomes_a_worker(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    seen = {}
    monkeypatch.setattr(
        "runpy.run_path", lambda path, run_name: seen.update(path=path, run_name=run_name)
    )
    monkeypatch.setattr(sys, "argv", ["app", "--worker", "opencl_list"])
    run_worker_here("opencl_list")
    assert sys.argv == [str(worker_script("main")), "opencl_list"]
    assert seen == {"path": str(worker_script("main")), "run_name": "__main__"}
    assert sys.path[0] == str(worker_script("main").parent)


def test_the_app_becomes_a_program_with_arguments_of_its_own(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", ["app", "--worker", "opencl_linker", "-shared"])
    missing = str(tmp_path / "missing.o")
    with pytest.raises(SystemExit) as ended:
        run_worker_here("opencl_linker", arguments=("-shared", missing))
    assert ended.value.code == 1
    assert missing in capsys.readouterr().err
