"""The head of a bug report says what runs and what went wrong, and not who the user is."""

import re
import sys
from pathlib import Path

from advisor.i18n import translator_for
from tests.advisor.recommend.builders import a_profile
from ui.doctor import doctor_head, doctor_report, without_home
from ui.logs import kept_log, log_fault


def test_it_names_version_python_program_and_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "of mine"))
    lines = doctor_head().splitlines()
    assert lines[0].startswith("dl-advisor 0.")
    assert "Python 3." in lines[0]
    assert lines[1].startswith("run by ")
    assert "results: ~/of mine/dl-advisor" in lines
    assert [line.partition(":")[0] for line in lines[2:]] == [
        "results", "settings", "prices", "log",
    ]  # fmt: skip


def test_a_packaged_program_says_so(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/usr/lib/dl-advisor/dl-advisor")
    assert "packaged program /usr/lib/dl-advisor/dl-advisor" in doctor_head()


def test_the_end_of_the_log_is_in_it_and_the_home_is_not():
    home = str(Path.home())
    with kept_log():
        log_fault(OSError(28, "No space left on device", f"{home}/secret/model.keras"))
    head = doctor_head()
    assert "end of the log:" in head
    assert "~/secret/model.keras" in head
    assert home not in head


def test_a_home_that_is_the_root_hides_nothing():
    assert without_home("/usr/bin/x", home="/") == "/usr/bin/x"
    assert without_home("C:\\Users\\me\\x", home="C:\\Users\\me") == "~\\x"


def test_the_report_is_english_below_a_line_in_the_users_language():
    english = doctor_report(a_profile(), translator_for("en"))
    first, _, rest = doctor_report(a_profile(), translator_for("zh_CN")).partition("\n\n")
    assert first == "以下报告为英文：供修复 DL Advisor 的人阅读。"
    assert rest == english
    assert english.startswith(doctor_head())
    assert not re.search(r"[\u4e00-\u9fff]", english)
