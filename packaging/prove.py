"""Proves the Linux packages of a commit: builds them and uses them as a stranger would.

    python packaging/prove.py --out DIR                  the commit that is checked out
    python packaging/prove.py --out DIR SOURCE           another commit, or a folder of sources
    python packaging/prove.py --out DIR --again          with what an earlier run there has built

Builds both kinds, installs the `.deb` with apt in a clean Debian, double-clicks its icon in a real
file manager, reaches the advice and the PDF while every file that is written is watched, puts the
tar under strain (`smoke_test.py --hard`), removes the package, and installs the wheel with pipx.
Prints a line for each proof; exit code 1 when one failed. DIR gets the table, pictures, logs and
packages. Takes root on Debian and a network; about a quarter of an hour on two quiet cores.

The tools are for the builder only, never for the user: debootstrap, Xvfb, openbox, xdotool,
ImageMagick (`import`), strace, xz, zstd, dpkg-deb, readelf, git, unshare. The Python needs Pillow.
Mounts and processes live in spaces of their own, which end with it, however it ends.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import stranger
from clean_root import CleanRoot
from screen import Screen

TOOLS = (
    "debootstrap", "Xvfb", "openbox", "xdotool", "import", "strace", "xz", "zstd", "dpkg-deb",
    "readelf", "git", "unshare", "chroot", "mount",
)  # fmt: skip
LIMIT_MB = {"full": 450.0, "lean": 120.0}
EPOCH = "1767225600"
_INSIDE = "DL_ADVISOR_PROOF_INSIDE"
_LEFT_OUT = (".git", ".venv", "__pycache__", "build", "dist", ".*_cache", "*.egg-info")


@dataclass(kw_only=True)
class Proof:
    """The lines of the table so far, and where things lie."""

    out: Path
    is_again: bool
    lines: list[tuple[str, bool, str, float]] = field(default_factory=list)

    @property
    def work(self) -> Path:
        """Where things are built."""
        return self.out / "work"

    @property
    def python(self) -> Path:
        """The Python that builds."""
        return self.work / "venv/bin/python"

    @property
    def source(self) -> Path:
        """The copy of the sources."""
        return self.work / "source"

    def app(self, kind: str) -> Path:
        """Return the folder that PyInstaller makes."""
        return self.work / kind / "dl-advisor"

    def package(self, kind: str) -> Path:
        """Return the one Debian package of a kind."""
        (found,) = (self.out / kind).glob("*.deb")
        return found

    def line(self, name: str, prove: Callable[[], str]) -> None:
        """Write a line of the table: what was shown, or what is wrong."""
        began = time.monotonic()
        try:
            is_good, figure = True, prove()
        except (OSError, ValueError, LookupError, subprocess.SubprocessError) as error:
            is_good, figure = False, f"{type(error).__name__}: {error}"
        took_s = time.monotonic() - began
        self.lines.append((name, is_good, figure, took_s))
        text = f"{'passed' if is_good else 'FAILED'}  {name:32}  {took_s:5.0f} s  {figure}\n"
        sys.stdout.write(text)
        sys.stdout.flush()
        with (self.out / "table.txt").open("a", encoding="utf-8") as table:
            table.write(text)

    def run(self, *command: str | Path, log: str, **more: str) -> None:
        """Run a tool to its end; its output is in a log."""
        environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH, "PYTHONHASHSEED": "0", **more}
        environment.pop("PYTHONPATH", None)
        path = self.out / "logs" / f"{log}.log"
        with path.open("ab") as stream:
            words = [str(word) for word in command]
            done = subprocess.run(
                words, cwd=self.work, env=environment, stdout=stream, stderr=stream, timeout=1800,
                check=False,
            )  # fmt: skip
        if done.returncode:
            last = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise OSError(f"exit code {done.returncode}: {' '.join(last)[-300:]}; see {path.name}")


def copy_sources(proof: Proof, source: str) -> str:
    """Copy the sources of a commit, or of a folder, so that nothing is written into them."""
    shutil.rmtree(proof.source, ignore_errors=True)
    if Path(source).is_dir():
        shutil.copytree(source, proof.source, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        return f"folder {source}"
    git = ["git", "-C", str(Path(__file__).resolve().parent.parent)]
    named = subprocess.run(
        [*git, "rev-parse", "--short", f"{source}^{{commit}}"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    with tempfile.TemporaryFile() as packed:
        subprocess.run([*git, "archive", named], stdout=packed, check=True)
        packed.seek(0)
        with tarfile.open(fileobj=packed) as archive:
            archive.extractall(proof.source, filter="data")
    return f"commit {named}"


def make_environment(proof: Proof) -> str:
    """Make the Python that builds, with the locked packages."""
    if not (proof.is_again and proof.python.exists()):
        shutil.rmtree(proof.work / "venv", ignore_errors=True)
        proof.run(sys.executable, "-m", "venv", proof.work / "venv", log="venv")
        locks = ("requirements.lock", "packaging/requirements-linux.txt")
        for lock in locks:
            words = ("install", "--require-hashes", "--no-deps", "-r", proof.source / lock)
            proof.run(proof.python, "-m", "pip", *words, log="venv")
    return f"Python {sys.version.split()[0]}"


def build(proof: Proof, kind: str) -> str:
    """Freeze one kind; say how large it is unpacked."""
    target = proof.app(kind)
    if not (proof.is_again and target.is_dir()):
        words: list[str | Path] = [
            "--distpath",
            target.parent,
            "--workpath",
            target.parent / "work",
            "--noconfirm",
        ]
        spec = proof.source / "packaging/app.spec"
        lean = ["--", "--lean"] if kind == "lean" else []
        proof.run(proof.python, "-m", "PyInstaller", spec, *words, *lean, log=f"build-{kind}")
    files = (path for path in target.rglob("*") if path.is_file() and not path.is_symlink())
    return f"{sum(path.stat().st_size for path in files) / 1e6:.0f} MB unpacked"


def pack(proof: Proof, kind: str) -> str:
    """Make the packages of one kind, with the default compression; the size has its limit."""
    out, source = proof.out / kind, proof.source / "packaging"
    if not (proof.is_again and list(out.glob("*.deb"))):
        proof.run(proof.python, source / "notice.py", proof.app(kind), "--out", out, log="pack")
        words: list[str | Path] = ["--kind", kind, "--notice", out / "NOTICE", "--out", out]
        # The lean tar has the same bytes in it; packing it takes minutes.
        words += ["--only", "deb"] if kind == "lean" else []
        program = source / "linux/make_packages.py"
        proof.run(proof.python, program, proof.app(kind), *words, log="pack")
    sizes = {path.name: path.stat().st_size / 1e6 for path in out.glob("dl-advisor*")}
    figure = ", ".join(f"{Path(name).suffix} {size:.1f} MB" for name, size in sizes.items())
    if max(sizes.values()) > LIMIT_MB[kind]:
        raise ValueError(f"{figure}: more than {LIMIT_MB[kind]:.0f} MB")
    return f"{figure} (limit {LIMIT_MB[kind]:.0f} MB)"


def strain(proof: Proof) -> str:
    """Install the tar for one user, try it as `smoke_test.py --hard` does, uninstall it."""
    (archive,) = (proof.out / "full").glob("*.tar.*")
    script = proof.source / "packaging/smoke_test.py"
    log = proof.out / "logs/smoke.log"
    log.unlink(missing_ok=True)
    with Screen(proof.out / "pictures") as screen:
        words = ("--hard", archive)
        proof.run(sys.executable, script, *words, log="smoke", DISPLAY=screen.display)
    said = log.read_text(encoding="utf-8").splitlines()
    left_out = [text for text in said if "left out" in text]
    if left_out:
        raise ValueError("; ".join(left_out))
    return f"{sum(': passed' in text for text in said)} checks passed"


def install_with_pipx(proof: Proof) -> str:
    """Make the wheel, install it with pipx, and run it."""
    tools, place, wheels = proof.work / "tools", proof.work / "pipx", proof.work / "wheel"
    for folder in (place, wheels):
        shutil.rmtree(folder, ignore_errors=True)
    proof.run(sys.executable, "-m", "venv", tools, log="pipx")
    proof.run(tools / "bin/python", "-m", "pip", "install", "build", "pipx", log="pipx")
    make = proof.source / "packaging/make_wheel.py"
    proof.run(tools / "bin/python", make, "--out", wheels, log="pipx")
    (wheel,) = wheels.glob("*.whl")
    home = {
        "HOME": str(place),
        "PIPX_HOME": str(place / "home"),
        "PIPX_BIN_DIR": str(place / "bin"),
    }
    home["PIPX_MAN_DIR"] = str(place / "man")
    words = ("install", "--python", sys.executable, wheel)
    proof.run(tools / "bin/pipx", *words, log="pipx", **home)
    for command in ("--version", "doctor", "recommend resnet-56"):
        proof.run(place / "bin/dl-advisor", *command.split(), log="pipx", **home)
    return f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB"


def use_package(proof: Proof, root: CleanRoot) -> None:
    """Install both kinds in the clean Debian one after the other, use them, remove them."""
    proof.line("apt: lean kind", lambda: root.install(proof.package("lean")))
    proof.line("lean kind: commands", lambda: stranger.try_commands(root))
    proof.line("apt: full kind in its place", lambda: root.install(proof.package("full")))
    proof.line("a folder of Chinese letters", lambda: stranger.try_chinese(root))
    pictures = proof.out / "pictures"
    proof.line("double-click to advice and PDF", lambda: stranger.use_window(root, pictures))
    proof.line("window visible, installed", lambda: stranger.time_window(root, pictures))
    proof.line("apt: purge", lambda: stranger.purge(root))


def prove(proof: Proof, *, source: str, root: CleanRoot) -> int:
    """Prove everything, in this order, and return the exit code."""
    began = time.monotonic()
    proof.line("sources", lambda: copy_sources(proof, source))
    with ThreadPoolExecutor(1) as pool:
        rooted, piped = pool.submit(root.make), pool.submit(install_with_pipx, proof)
        proof.line("locked packages", lambda: make_environment(proof))
        for kind in ("lean", "full"):
            proof.line(f"build: {kind}", lambda kind=kind: build(proof, kind))
        for kind in ("lean", "full"):
            proof.line(f"packages: {kind}", lambda kind=kind: pack(proof, kind))
        proof.line("clean system", rooted.result)
        proof.line("pipx", piped.result)
    use_package(proof, root)
    proof.line("tar under strain", lambda: strain(proof))
    n_failed = sum(not is_good for _name, is_good, _figure, _took in proof.lines)
    minutes = (time.monotonic() - began) / 60
    sys.stdout.write(f"{len(proof.lines)} lines, {n_failed} failed, {minutes:.1f} minutes\n")
    return 1 if n_failed else 0


def refusal() -> str:
    """Return why this system cannot prove anything; "" when it can."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return f"missing: {', '.join(missing)}"
    return "" if os.geteuid() == 0 else "must be run as root: it mounts and changes roots"


def main() -> int:
    """Enter spaces of its own, then prove."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="?", default="HEAD", help="a commit or a folder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--again", action="store_true", help="use what was built there before")
    given = parser.parse_args()
    reason = refusal()
    if reason:
        sys.stderr.write(f"prove.py: {reason}\n")
        return 2
    if _INSIDE not in os.environ:
        spaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        os.environ[_INSIDE] = "1"
        os.execvp(spaces[0], [*spaces, sys.executable, *sys.argv])  # noqa: S606
    proof = Proof(out=given.out.resolve(), is_again=given.again)
    for folder in ("logs", "pictures", "work/root"):
        shutil.rmtree(proof.out / folder, ignore_errors=True)
        (proof.out / folder).mkdir(parents=True)
    (proof.out / "table.txt").unlink(missing_ok=True)
    root = CleanRoot(proof.work / "root", log=proof.out / "logs/root.log")
    try:
        return prove(proof, source=given.source, root=root)
    finally:
        root.remove()


if __name__ == "__main__":
    sys.exit(main())
