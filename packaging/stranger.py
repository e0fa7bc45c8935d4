"""What a stranger does with the installed package: commands, the icon, the advice, the PDF.

Part of `prove.py`. Every function returns what was shown and raises an error where it was not.
"""

import json
import subprocess
import tempfile
from pathlib import Path

import hard
import smoke_test
from clean_root import HOME, CleanRoot
from screen import Screen
from watch import changed_files, watcher

_COMMAND_S = 400.0
# Folders of the stranger's own that may be written to.
FOLDERS = tuple(f"{HOME}/{name}" for name in (".cache", ".config", ".local/share", ".nv"))
# Only letters of the keyboard: xdotool loses some of the others now and then. Chinese names are
# tried with a command (`try_chinese`).
PDF, SAVED, SECOND = "my advice.pdf", "my.dl-advisor.json", "my advice again.pdf"
_KEPT = ".local/share/dl-advisor/last-recommendation.json"
_MIN_CALLS = 5000


def _call(root: CleanRoot, *command: str, codes: tuple[int, ...] = (0,), **more: str) -> str:
    """Run a command as the stranger; return what it printed."""
    done = subprocess.run(
        root.as_stranger(*command, **more),
        capture_output=True,
        text=True,
        timeout=_COMMAND_S,
        check=False,
    )
    if done.returncode not in codes or "Traceback" in done.stderr:
        raise ValueError(f"{' '.join(command)}: {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def try_commands(root: CleanRoot) -> str:
    """Look at the machine and advise without measuring, in two languages."""
    for words in (
        ("--version",),
        ("probe",),
        ("doctor",),
        ("networks",),
        ("recommend", "resnet-56"),
    ):
        _call(root, "dl-advisor", *words)
    _call(root, "dl-advisor", "probe", LANG="C")
    chinese = _call(root, "dl-advisor", "recommend", "resnet-56", LANG="zh_CN.UTF-8")
    if not any("\u4e00" <= letter <= "\u9fff" for letter in chinese):
        raise ValueError("LANG=zh_CN.UTF-8: no Chinese letter")
    return "7 commands, LANG=C and zh_CN.UTF-8"


def try_chinese(root: CleanRoot) -> str:
    """Measure and write the PDF in Chinese, in a folder with a space and Chinese letters."""
    folder = f"{HOME}/我的 work"
    _call(root, "mkdir", "-p", folder)
    words = ("dl-advisor", "advise", "--quick", "--pdf", "建议 1.pdf", "--json", "建议 1.json")
    _call(root, "env", "-C", folder, *words, codes=(0, 3), LANG="zh_CN.UTF-8")
    text = _call(root, "pdftotext", f"{folder}/建议 1.pdf", "-")
    if "深度学习" not in text:
        raise ValueError("the PDF is not in Chinese")
    saved = root.home / "我的 work/建议 1.json"
    figure = f"PDF of {len(text)} letters; {_contents(saved)}"
    _call(root, "rm", "-r", folder)
    return figure


def _contents(saved: Path) -> str:
    """Say how many options an advice has, and what the time on this machine rests on."""
    ranked = json.loads(saved.read_text(encoding="utf-8"))["value"]["ranked"]
    (basis,) = (row["prediction"]["basis"] for row in ranked if row["option"]["id"] == "stay")
    return f"{len(ranked)} options, this machine {basis}"


def use_window(root: CleanRoot, pictures: Path) -> str:
    """Double-click the icon, ask for the advice, export it, open the saved file; watch it all."""
    for name in (_KEPT, PDF, SAVED, SECOND):
        (root.home / name).unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        traces = Path(folder)
        with Screen(pictures) as screen:
            where = {"DISPLAY": screen.display}
            # A desktop has a bus; without one, the first program to ask for it would start it.
            files = ("dbus-run-session", "--", "pcmanfm", "/usr/share/applications")
            screen.start(*watcher(traces), *root.as_stranger(*files, **where))
            took_s = _reach_the_advice(root, screen)
            _export(root, screen)
            _open_the_saved(root, screen)
        # A file that was asked for is written beside its place and then put there.
        asked = (PDF, SAVED, SECOND)
        own = tuple(f"{HOME}/{name}" for file in asked for name in (file, f".{file}."))
        found, n_calls = changed_files(
            traces, allowed=(*FOLDERS, *own), start=HOME, program="dl-advisor-gui",
            below=str(root.folder),
        )  # fmt: skip
    if found or n_calls < _MIN_CALLS:
        raise ValueError(f"{n_calls} calls seen, written elsewhere: {', '.join(found[:20])}")
    return (
        f"advice after {took_s:.0f} s (traced), {_contents(root.home / SAVED)}; "
        f"{n_calls} calls on files, none writes elsewhere"
    )


def _reach_the_advice(root: CleanRoot, screen: Screen) -> float:
    """Go from the icon to the advice; return the seconds that it took."""
    screen.wait_for_window("pcmanfm")
    screen.settle()
    screen.picture("1-icon")
    screen.double_click_icon()
    screen.settle(limit_s=3)
    if not screen.windows("dl-advisor"):
        # The file manager asks whether to execute what is installed; so a user does.
        screen.picture("2-asks")
        screen.key("alt+e")
    screen.wait_for_window("dl-advisor")
    screen.settle()
    screen.picture("3-start")
    screen.key("alt+a")
    kept = root.home / _KEPT
    took_s = screen.wait(kept.is_file, "the advice", limit_s=_COMMAND_S)
    screen.settle()
    screen.picture("4-answer")
    screen.key("ctrl+6")
    screen.settle()
    screen.picture("5-advice")
    return took_s


def _export(root: CleanRoot, screen: Screen) -> None:
    """Export the PDF and the JSON with the keys of the window, and close it."""
    for key, name, picture in (("alt+p", PDF, "6-pdf"), ("alt+j", SAVED, "7-json")):
        screen.key(key)
        screen.settle(limit_s=4)
        screen.picture(picture)
        screen.write(f"{HOME}/{name}")
        path = root.home / name
        screen.wait(lambda path=path: path.is_file() and path.stat().st_size > 1000, name)
    text = _call(root, "pdftotext", f"{HOME}/{PDF}", "-")
    if "DL Advisor" not in text:
        raise ValueError("the PDF has no title")
    screen.key("ctrl+q")
    screen.wait(lambda: not screen.windows("dl-advisor"), "the end of the window")


def _open_the_saved(root: CleanRoot, screen: Screen) -> None:
    """Double-click the saved advice in the file manager: it opens on its page."""
    (root.home / _KEPT).unlink()
    subprocess.run(root.as_stranger("pcmanfm", HOME, DISPLAY=screen.display), check=True)
    screen.settle()
    screen.picture("8-saved")
    screen.double_click_icon()
    screen.wait_for_window("dl-advisor")
    screen.settle()
    screen.picture("9-opened")
    screen.key("alt+p")
    screen.settle(limit_s=4)
    # Only an advice that is shown can be exported.
    screen.write(f"{HOME}/{SECOND}")
    screen.wait((root.home / SECOND).is_file, "the PDF of the saved advice")
    screen.key("ctrl+q")
    screen.wait(lambda: not screen.windows("dl-advisor"), "the end of the window")


def time_window(root: CleanRoot, pictures: Path) -> str:
    """Time how long the installed window takes until it is seen, the first time left out."""
    with Screen(pictures) as screen:
        command = root.as_stranger("dl-advisor-gui", DISPLAY=screen.display)
        took_s = [hard.until_visible(command, environment=screen.environment) for _ in range(5)]
    figure = ", ".join(f"{seconds:.2f}" for seconds in took_s)
    if min(took_s[1:]) > hard.VISIBLE_S:
        raise ValueError(f"{figure} s")
    return f"{figure} s (limit {hard.VISIBLE_S:.0f} s warm)"


def purge(root: CleanRoot) -> str:
    """Remove the package: nothing of ours is left but what is the user's."""
    own = sorted(path for path in root.home.rglob("*") if path.is_file())
    root.as_root("apt-get", "purge", "-y", "dl-advisor")
    left = root.leftovers()
    if left:
        raise ValueError(f"left: {', '.join(left[:20])}")
    if [path for path in own if not path.is_file()]:
        raise ValueError("a file of the user's is gone")
    wanted = (PDF, SAVED, SECOND)
    strangers = [name for name in smoke_test.strangers(root.home) if name not in wanted]
    if strangers:
        raise ValueError(f"in the HOME: {', '.join(strangers[:20])}")
    return f"nothing left; {len(own)} files of the user's as they were"
