"""Makes the wheel and the source archive so that the same sources give the same bytes.

    python packaging/make_wheel.py --out OUT

`python -m build` makes both; the wheel is reproducible as it is (SOURCE_DATE_EPOCH), the source
archive is packed anew: sorted, of nobody, without the times of this build.
"""

import argparse
import gzip
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "1767225600"))


def settle(archive: Path) -> None:
    """Pack a source archive anew, without what differs from build to build."""
    with tarfile.open(archive) as old:
        members = sorted(old.getmembers(), key=lambda member: member.name)
        contents = [
            stream.read() if (stream := old.extractfile(member)) else b"" for member in members
        ]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member, content in zip(members, contents, strict=True):
            member.mtime, member.uid, member.gid, member.uname, member.gname = EPOCH, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, io.BytesIO(content))
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=EPOCH))


def main() -> int:
    """Make both and name them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    out = given.out.resolve()
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    for archive in out.glob("*.tar.gz"):
        settle(archive)
    for made in sorted(out.iterdir()):
        sys.stdout.write(f"{made.name}: {made.stat().st_size / 1e6:.1f} MB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
