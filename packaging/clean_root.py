"""A clean Debian in a folder, with a stranger in it who has a file manager and no Python.

Part of `prove.py`, which calls it where mounts are nobody else's. Standard library only.
"""

import shutil
import subprocess
from pathlib import Path

USER = "stranger"
HOME = f"/home/{USER}"
# A desktop as small as it can be, and what lists the text of a PDF. No window manager: it would
# bring a Python along.
DESKTOP = (
    "pcmanfm", "dbus-x11", "lxmenu-data", "fonts-dejavu-core", "fonts-wqy-microhei",
    "poppler-utils", "desktop-file-utils", "shared-mime-info",
)  # fmt: skip
_MINUTES = 60.0


def release_of_this_system() -> str:
    """Return the code name of the system that builds: its C library is the oldest that fits.

    Raises:
        OSError: where that is no Debian.
    """
    fields = dict(
        line.split("=", 1)
        for line in Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
        if "=" in line
    )
    if fields.get("ID") != "debian":
        raise OSError("the packages are built on Debian; this system is another")
    return fields["VERSION_CODENAME"]


class CleanRoot:
    """A Debian of its own, seen as root and as the stranger."""

    def __init__(self, folder: Path, *, log: Path) -> None:
        """Name the folder that it will lie in, and the file for what its tools say."""
        self.folder = folder
        self.home = folder / HOME.strip("/")
        self._log = log

    def make(self) -> str:
        """Make it; return what it is."""
        release = release_of_this_system()
        self._run("debootstrap", "--variant=minbase", release, str(self.folder))
        for kind, place in (("proc", "proc"), ("sysfs", "sys"), ("tmpfs", "dev/shm")):
            (self.folder / place).mkdir(exist_ok=True)
            self._run("mount", "-t", kind, kind, str(self.folder / place))
        resolver = Path("/etc/resolv.conf").read_text(encoding="utf-8")
        (self.folder / "etc/resolv.conf").write_text(resolver, encoding="utf-8")
        (self.folder / "etc/dpkg/dpkg.cfg.d/io").write_text("force-unsafe-io\n")
        self.as_root("apt-get", "update")
        # No files of a skeleton: what is in the HOME later was made by programs.
        self.as_root("useradd", "-m", "-k", "/nowhere", "-s", "/bin/sh", USER)
        self.as_root("apt-get", "install", "-y", "--no-install-recommends", *DESKTOP)
        if any((self.folder / "usr/bin").glob("python*")):
            raise OSError("the clean system has a Python")
        return f"Debian {release}, no Python"

    def remove(self) -> None:
        """Remove it; what is mounted in it is let go first."""
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
        places = [
            line.split()[1] for line in mounts if line.split()[1].startswith(f"{self.folder}/")
        ]
        for place in sorted(places, reverse=True):
            subprocess.run(["umount", place], check=True)  # noqa: S607
        shutil.rmtree(self.folder, ignore_errors=True)

    def as_root(self, *command: str, minutes: float = 10) -> str:
        """Run a command in it and return what it said."""
        return self._run("chroot", str(self.folder), *command, minutes=minutes)

    def as_stranger(self, *command: str, **more: str) -> list[str]:
        """Return what runs a command as the stranger, in the HOME, with a small environment."""
        kept = {"HOME": HOME, "USER": USER, "LOGNAME": USER, "LANG": "C.UTF-8", **more}
        path = "PATH=/usr/local/bin:/usr/bin:/bin"
        enter = ["chroot", f"--userspec={USER}:{USER}", str(self.folder), "/usr/bin/env", "-i"]
        words = [f"{name}={value}" for name, value in kept.items()]
        return [*enter, "-C", HOME, path, *words, *command]

    def install(self, package: Path) -> str:
        """Install a package file with apt; return how many packages came with it."""
        target = self.folder / "opt" / package.name
        target.hardlink_to(package)
        before = self._n_packages()
        self.as_root("apt-get", "install", "-y", "--no-install-recommends", f"/opt/{package.name}")
        target.unlink()
        return f"{self._n_packages() - before:+d} packages"

    def _n_packages(self) -> int:
        listed = self.as_root("dpkg-query", "-f", "${db:Status-Abbrev}\n", "-W").splitlines()
        return sum(line.startswith("ii") for line in listed)

    def leftovers(self) -> list[str]:
        """Return what bears our name outside the user's HOME and the system's own books."""
        books = ("home", "proc", "sys", "var/log", "var/lib/dpkg", "var/cache/apt")
        skip = [
            word for book in books for word in ("-path", str(self.folder / book), "-prune", "-o")
        ]
        names = ["(", "-iname", "*dl-advisor*", "-o", "-iname", "*dl_advisor*", ")", "-print"]
        return self._run("find", str(self.folder), *skip, *names).split()

    def _run(self, *command: str, minutes: float = 10) -> str:
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
        environment["DEBIAN_FRONTEND"] = "noninteractive"
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=minutes * _MINUTES,
            check=False,
            env=environment,
        )
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}\n")
        if done.returncode:
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            raise OSError(f"{' '.join(command)[:80]}: {done.returncode}: {' '.join(last)}")
        return done.stdout
