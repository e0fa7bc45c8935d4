"""What the packages are made of: files that desktops, installers and stores read."""

import ast
import importlib.metadata
import importlib.util
import io
import plistlib
import re
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ET
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"
APP_ID = "invalid.dl_advisor.dl_advisor"
MIME = "application/x-dl-advisor+json"
VERSION = (ROOT / "resources/VERSION").read_text().strip()


def load(name, *, monkeypatch):
    """Import a script of `packaging`, which is no package on purpose."""
    path = ROOT / "packaging" / f"{name}.py"
    monkeypatch.syspath_prepend(str(path.parent))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def desktop():
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(LINUX / "dl-advisor.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


def test_a_saved_advice_is_tied_to_the_program():
    from ui.settings import SAVED_ENDING

    assert desktop()["Exec"] == "dl-advisor-gui %f"
    assert desktop()["MimeType"] == f"{MIME};"
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    (kind,) = ET.parse(LINUX / "dl-advisor-mime.xml").getroot()
    assert kind.get("type") == MIME
    assert kind.find(f"{space}glob").get("pattern") == f"*.{SAVED_ENDING}"


def test_the_window_belongs_to_the_desktop_file():
    names = re.findall(r'setDesktopFileName\("([^"]+)"\)', (ROOT / "ui/app.py").read_text())
    assert names == ["dl-advisor"]
    assert desktop()["StartupWMClass"] == names[0]


def test_the_store_entry_is_of_this_version_and_its_id_is_a_reversed_domain():
    root = ET.parse(LINUX / f"{APP_ID}.metainfo.xml").getroot()
    assert root.findtext("id") == APP_ID
    # Reversed, it is a domain that can never exist (RFC 2606): nobody's is claimed.
    assert re.fullmatch(r"invalid(\.[a-z][a-z_]*){2}", APP_ID)
    assert root.find("launchable").text == "dl-advisor.desktop"
    assert root.find("releases/release").get("version") == VERSION
    assert root.findtext("provides/mediatype") == MIME


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="appstreamcli is not installed")
def test_the_store_entry_is_valid():
    path = LINUX / f"{APP_ID}.metainfo.xml"
    words = ["appstreamcli", "validate", "--no-net", "--pedantic", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    told = [line for line in done.stdout.splitlines() if line[:3] in ("E: ", "W: ", "I: ", "P: ")]
    # The project has no domain, so its id has none that exists.
    assert [line for line in told if "cid-maybe-not-rdns" not in line] == []
    assert done.returncode == 0


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="it is not installed")
def test_the_desktop_file_is_valid():
    words = ["desktop-file-validate", str(LINUX / "dl-advisor.desktop")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("script", ["linux/install.sh", "macos/make_dmg.sh"])
def test_shell_scripts_are_sound(script):
    path = str(ROOT / "packaging" / script)
    subprocess.run(["sh", "-n", path], check=True)
    if shutil.which("shellcheck"):
        done = subprocess.run(["shellcheck", path], capture_output=True, text=True, check=False)
        assert done.stdout == ""


def test_the_property_list_of_macos_can_be_read():
    text = (ROOT / "packaging/macos/Info.plist.in").read_text().replace("@VERSION@", VERSION)
    found = plistlib.loads(text.encode())
    assert found["CFBundleIdentifier"] == APP_ID.replace("_", "-")
    assert found["CFBundleShortVersionString"] == VERSION
    assert "@" not in text


def sections(text):
    """Return the entries of an Inno Setup script by section; lines that go on are joined."""
    found, name = {}, None
    for line in text.replace("\\\n", " ").splitlines():
        line = line.strip()
        if match := re.fullmatch(r"\[(\w+)\]", line):
            name = match[1]
            found[name] = []
        elif name and line and not line.startswith((";", "#")):
            found[name].append(line)
    return found


def test_the_installer_of_windows_names_files_that_there_are():
    path = ROOT / "packaging/windows/dl-advisor.iss"
    found = sections(path.read_text())
    assert {"Setup", "Files", "Icons", "Registry", "Run", "Code"} <= found.keys()
    setup = dict(line.split("=", 1) for line in found["Setup"])
    licence = path.parent / setup["LicenseFile"].replace("\\", "/")
    assert licence.resolve() == ROOT / "LICENSE"
    assert setup["PrivilegesRequired"] == "lowest"
    assert setup["ChangesAssociations"] == "yes"
    for name in ("Files", "Icons", "Registry", "Run", "Tasks"):
        for line in found[name]:
            for field in re.split(r";\s+(?=\w+:)", line.rstrip(";")):
                assert re.fullmatch(r"\w+: .+", field), field
                assert field.count('"') % 2 == 0, field
    code = "\n".join(found["Code"]).lower()
    assert len(re.findall(r"\bbegin\b", code)) == len(re.findall(r"\bend;", code))
    known = set(re.findall(r"function (\w+)\(", "\n".join(found["Code"])))
    asked = {match for line in found["Registry"] for match in re.findall(r"Check: (\w+)", line)}
    assert asked <= known


def test_every_licence_that_is_kept_is_there(monkeypatch):
    notice = load("notice", monkeypatch=monkeypatch)
    names = {name for kept in notice.TEXTS.values() for name in kept}
    folder = ROOT / "packaging/licences"
    assert names == {path.name for path in folder.iterdir()}
    assert "LESSER GENERAL PUBLIC LICENSE" in (folder / "lgpl-3.0.txt").read_text()
    for name in ("PySide6_Essentials", "shiboken6", "pocl-binary-distribution"):
        assert list(notice.licence_texts(importlib.metadata.distribution(name)))


def test_a_library_that_nobody_owns_stops_the_notice(monkeypatch):
    notice = load("notice", monkeypatch=monkeypatch)
    if shutil.which("dpkg-query") is None:
        pytest.skip("no dpkg-query")
    with pytest.raises(LookupError, match="libnobody"):
        notice.system_package("libnobody.so.1")


def test_no_library_under_the_gpl_is_asked_for():
    tree = ast.parse((ROOT / "packaging/app.spec").read_text(encoding="utf-8"))
    values = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert {"readline", "rlcompleter", "dbm.gnu", "_gdbm"} <= set(ast.literal_eval(values["NEVER"]))
    pattern = ast.literal_eval(values["FROM_SYSTEM"].args[0])
    for library in ("libreadline.so.8", "libgdbm.so.6", "libdb-5.3.so"):
        assert not re.match(pattern, library)
    assert re.match(pattern, "libssl.so.3")


@pytest.mark.parametrize("mode", [0o600, 0o755])
def test_a_source_archive_does_not_tell_when_and_by_whom_it_was_packed(tmp_path, monkeypatch, mode):
    make_wheel = load("make_wheel", monkeypatch=monkeypatch)
    packed = []
    for number, names in enumerate((["b", "a"], ["a", "b"])):
        path = tmp_path / f"{number}.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for name in names:
                member = tarfile.TarInfo(f"top/{name}")
                member.size, member.mtime, member.mode = 2, 1_000_000 + number, mode
                member.uid, member.uname = number, f"user{number}"
                archive.addfile(member, io.BytesIO(b"xy"))
        make_wheel.settle(path)
        packed.append(path.read_bytes())
    assert packed[0] == packed[1]
    with tarfile.open(tmp_path / "0.tar.gz") as archive:
        assert [member.name for member in archive] == ["top/a", "top/b"]
        assert archive.extractfile("top/a").read() == b"xy"
        assert archive.getmember("top/a").mode == (0o755 if mode & 0o100 else 0o644)
