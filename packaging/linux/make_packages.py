"""Makes the .deb and the portable tar of a packaged app.

    python packaging/linux/make_packages.py DIST/dl-advisor --kind full --out OUT

No root and no fakeroot: files belong to root by `dpkg-deb --root-owner-group`. Times are those
of SOURCE_DATE_EPOCH, names are sorted: the same folder gives the same bytes.
"""

import argparse
import functools
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from libraries import depends

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAMS = ("dl-advisor", "dl-advisor-gui")
ICON = ROOT / "resources" / "icons" / "dl-advisor.svg"
# Not every desktop reads SVG.
ICON_SIZES = (48, 128, 256)
APP_ID = "invalid.dl_advisor.dl_advisor"
# A role, at a domain that can never exist (RFC 2606): whoever publishes names who answers.
MAINTAINER = "DL Advisor contributors <contributors@dl-advisor.invalid>"
# File in the system's /usr/share, and what it is made of.
SHARED = {
    "applications/dl-advisor.desktop": HERE / "dl-advisor.desktop",
    "icons/hicolor/scalable/apps/dl-advisor.svg": ICON,
    f"metainfo/{APP_ID}.metainfo.xml": HERE / f"{APP_ID}.metainfo.xml",
    "mime/packages/dl-advisor.xml": HERE / "dl-advisor-mime.xml",
}
# The number decides into which blocks xz cuts: the same on every machine, the same bytes.
THREADS = 2
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "1767225600"))
DESCRIPTION = """how to make deep learning faster or cheaper on this machine
 DL Advisor looks at the machine, measures it for about a minute, predicts how
 long a network takes on every option, and tells what to do, in hours and
 money, with its reasons and sources.
 ."""
KINDS = {
    "full": "\n This package holds Keras and TensorFlow and needs no Python.",
    "lean": "\n This package measures the frameworks of the user's own environments.",
}


# The lean kind shall be small, and xz takes minutes for it; the full one would take half an hour
# and twice the time of its user, who unpacks it in seconds with zstd.
COMPRESSION = {"full": "zstd", "lean": "xz"}


def version() -> str:
    """Return the version of the sources."""
    return (ROOT / "resources" / "VERSION").read_text(encoding="utf-8").strip()


def control(tree: Path, *, app: Path, kind: str, maintainer: str) -> str:
    """Return the control file of the package."""
    files = (path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    size = sum(path.stat().st_size for path in files)
    name, other = ("dl-advisor", "dl-advisor-lean")[:: 1 if kind == "full" else -1]
    fields = {
        "Package": name,
        "Version": version(),
        "Architecture": "amd64",
        "Maintainer": maintainer,
        "Installed-Size": str(size // 1024),
        "Depends": ", ".join(depends(app)),
        # They tell the desktop of the icon and of the type of a saved advice.
        "Recommends": "desktop-file-utils, hicolor-icon-theme, shared-mime-info",
        "Conflicts": other,
        "Replaces": other,
        "Section": "science",
        "Priority": "optional",
        "Description": DESCRIPTION + KINDS[kind],
    }
    return "".join(f"{field}: {value}\n" for field, value in fields.items())


def put_documents(folder: Path, *, notice: Path | None) -> None:
    """Put the licence and the licences of everything bundled into a folder."""
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", folder / "copyright")
    changes = (ROOT / "CHANGELOG.md").read_bytes()
    (folder / "changelog.gz").write_bytes(gzip.compress(changes, mtime=EPOCH))
    if notice is not None:
        shutil.copy(notice, folder / "NOTICE")


def put_icons(folder: Path) -> None:
    """Put the icon into a folder of icons (`hicolor`), drawn by the Qt that is packaged."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    drawing = QSvgRenderer(str(ICON))
    for size in ICON_SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        drawing.render(painter)
        painter.end()
        target = folder / f"{size}x{size}" / "apps" / "dl-advisor.png"
        target.parent.mkdir(parents=True)
        if not image.save(str(target)):
            raise OSError(f"{target}: the icon cannot be written")


def fill_tree(tree: Path, *, app: Path, notice: Path | None, name: str) -> None:
    """Lay out the files of the package as they are installed."""
    shutil.copytree(app, tree / "usr/lib/dl-advisor", symlinks=True)
    (tree / "usr/bin").mkdir(parents=True)
    for program in PROGRAMS:
        (tree / "usr/bin" / program).symlink_to(f"../lib/dl-advisor/{program}")
    for place, source in SHARED.items():
        target = tree / "usr/share" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    put_icons(tree / "usr/share/icons/hicolor")
    put_documents(tree / "usr/share/doc" / name, notice=notice)
    manual = tree / "usr/share/man/man1"
    manual.mkdir(parents=True)
    packed = gzip.compress((HERE / "dl-advisor.1").read_bytes(), mtime=EPOCH)
    (manual / "dl-advisor.1.gz").write_bytes(packed)
    (manual / "dl-advisor-gui.1.gz").symlink_to("dl-advisor.1.gz")


def settle(tree: Path) -> None:
    """Give every file the rights and the time that it has in the package."""
    for path in sorted(tree.rglob("*"), reverse=True):
        if not path.is_symlink():
            is_program = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if is_program else 0o644)
        os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)
    tree.chmod(0o755)


def make_deb(
    app: Path, *, kind: str, out: Path, notice: Path | None, compression: str, maintainer: str
) -> Path:
    """Make the Debian package."""
    name = "dl-advisor" if kind == "full" else "dl-advisor-lean"
    package = out / f"{name}_{version()}_amd64.deb"
    with tempfile.TemporaryDirectory(dir=out) as folder:
        tree = Path(folder) / "tree"
        fill_tree(tree, app=app, notice=notice, name=name)
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN" / "control").write_text(
            control(tree, app=app, kind=kind, maintainer=maintainer)
        )
        settle(tree)
        command = ["dpkg-deb", "--root-owner-group", f"-Z{compression}", f"--threads-max={THREADS}"]
        command.append("--build")
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
        subprocess.run([*command, str(tree), str(package)], check=True, env=environment)
    return package


def make_tar(app: Path, *, kind: str, out: Path, notice: Path | None, compression: str) -> Path:
    """Make the tar that installs itself for one user."""
    top = f"dl-advisor-{version()}-{kind}"
    ending = {"xz": "xz", "zstd": "zst"}[compression]
    archive = out / f"{top}-linux-x86_64.tar.{ending}"
    with tempfile.TemporaryDirectory(dir=out) as folder:
        tree = Path(folder) / top
        shutil.copytree(app, tree / "dl-advisor", symlinks=True)
        put_documents(tree / "share", notice=notice)
        for source in (HERE / "dl-advisor.1", HERE / "dl-advisor-mime.xml", *SHARED.values()):
            shutil.copy(source, tree / "share")
        put_icons(tree / "share" / "icons")
        shutil.copy(HERE / "install.sh", tree)
        settle(tree)
        owner = ["--owner=0", "--group=0", "--numeric-owner", "--sort=name", f"--mtime=@{EPOCH}"]
        packing = ["--use-compress-program", f"{compression} -T{THREADS}"]
        command = ["tar", "-C", folder, *owner, *packing, "-cf", str(archive), top]
        subprocess.run(command, check=True)
    return archive


def main() -> int:
    """Make both and print their sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("app", type=Path, help="the folder that PyInstaller made")
    parser.add_argument("--kind", choices=sorted(KINDS), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--notice", type=Path, help="made by packaging/notice.py")
    parser.add_argument("--compression", choices=["xz", "zstd"], help="zstd (full) or xz (lean)")
    parser.add_argument("--only", choices=["deb", "tar"], help="both without it")
    parser.add_argument("--maintainer", default=MAINTAINER, metavar="NAME <ADDRESS>")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    make_the_deb = functools.partial(make_deb, maintainer=given.maintainer)
    makers = {"deb": make_the_deb, "tar": make_tar}
    for make in [makers[given.only]] if given.only else makers.values():
        made = make(
            given.app.resolve(),
            kind=given.kind,
            out=given.out.resolve(),
            notice=given.notice,
            compression=given.compression or COMPRESSION[given.kind],
        )
        sys.stdout.write(f"{made.name}: {made.stat().st_size / 1e6:.1f} MB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
