"""What is recorded can be read again, and no more is recorded than the probe needs."""

import json

import pytest

from advisor.errors import FormatError
from probes.machine.collect import collect_profile
from probes.machine.recording import RecordedReader, RecordingReader, record

FILES = {
    "/proc/cpuinfo": "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 60\n",
    "/proc/stat": "cpu 1 0 0 1 0 0 0 0\n",
    "/proc/stat@2": "cpu 2 0 0 4 0 0 0 0\n",
    "/sys/bus/pci/devices/0000:01:00.0/class": "0x030000",
    "/sys/bus/pci/devices/0000:01:00.0/vendor": "0x1002",
    "/sys/bus/pci/devices/0000:01:00.0/device": "0x67df",
    "/home/mary/secret-project/venv/pyvenv.cfg": "version = 3.11.2\nhome = /home/mary/python",
    "/home/mary/secret-project/venv/bin/python3": "",
    "/home/mary/secret-project/venv/lib/python3.11/site-packages/torch-2.1.0.dist-info/x": "",
    "/home/mary/secret-project/venv/lib/python3.11/site-packages/private-1.0.dist-info/x": "",
}


def profile_of(reader):
    return collect_profile(
        reader,
        today="2026-11-21",
        list_opencl=None,
        environment_paths=[f"{reader.environ['HOME']}/secret-project"],
    )


@pytest.fixture
def original(make_machine):
    links = {"/sys/bus/pci/devices/0000:01:00.0/driver": "amdgpu"}
    environ = {"HOME": "/home/mary", "PATH": "/home/mary/bin", "TOKEN": "secret"}
    usable = {"/dev/dri/renderD128": False}
    return make_machine(FILES, links=links, environ=environ, usable=usable, logical_cpus=1)


def test_a_recording_gives_the_same_profile(original, tmp_path):
    recording = RecordingReader(original)
    seen = profile_of(recording)
    record(tmp_path / "copy", recording)
    again = profile_of(RecordedReader(tmp_path / "copy"))
    assert seen.load.busy_fraction == 0.25
    assert [e.frameworks[0].name for e in seen.environments] == ["torch"]
    assert again.environments[0].python == "/home/user/secret-project/venv/bin/python3"
    assert (again.cpu, again.load, again.graphics) == (seen.cpu, seen.load, seen.graphics)
    assert again.missing == seen.missing
    assert again.environments[0].frameworks == seen.environments[0].frameworks


def test_a_recording_names_neither_the_person_nor_what_is_not_used(original, tmp_path):
    recording = RecordingReader(original)
    profile_of(recording)
    record(tmp_path / "copy", recording)
    files = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    everything = "".join(str(path) + path.read_text(encoding="utf-8") for path in files)
    everything = everything.replace(str(tmp_path), "")
    assert "mary" not in everything
    assert "TOKEN" not in everything
    assert "private-1.0" not in everything


def test_commands_and_links_are_recorded(make_machine, tmp_path):
    reader = RecordingReader(make_machine({}, commands={"sw_vers -x": "14"}, links={"/a/b": "c"}))
    assert reader.run(("sw_vers", "-x"), timeout_s=1) == "14"
    assert reader.run(("other",), timeout_s=1) is None
    assert reader.link_name("/a/b") == "c"
    assert not reader.exists("/nowhere")
    record(tmp_path / "copy", reader)
    copy = RecordedReader(tmp_path / "copy")
    assert copy.run(("sw_vers", "-x"), timeout_s=1) == "14"
    assert copy.list_dir("/a") == ("b",)
    assert copy.exists("/a")
    assert copy.can_use("/dev/kfd") is None


@pytest.mark.parametrize("text", ["", "[]", "{", "null"])
def test_a_folder_that_is_no_recording_is_refused(tmp_path, text):
    (tmp_path / "machine.json").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"machine\.json"):
        RecordedReader(tmp_path)


def test_paths_cannot_leave_the_folder(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "machine.json").write_text(json.dumps({}), encoding="utf-8")
    (tmp_path / "outside").write_text("secret", encoding="utf-8")
    assert RecordedReader(tmp_path / "m").read_text("/../../outside") is None
