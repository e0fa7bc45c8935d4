"""Writes NOTICE (licences of everything bundled) and the SBOM (CycloneDX) of a packaged app.

    python packaging/notice.py DIST/dl-advisor --out OUT

Run with the Python that made the app. What is inside is taken from the app itself: a distribution
counts when a file of it, or a module of it in the app's archive, is there.
"""

import argparse
import functools
import hashlib
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import uuid
from collections.abc import Iterator
from importlib.metadata import Distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_LICENCE = re.compile(r"(licen[cs]e|copying|notice|authors|copyright)", re.IGNORECASE)
_LIBRARY = re.compile(r"lib[\w+.-]+\.so[\w.]*")
# Licences that a wheel should bring and does not, in `licences/`.
TEXTS = {
    "flatbuffers": ("apache-2.0.txt",),
    "pyside6_essentials": ("qt.txt", "lgpl-3.0.txt", "gpl-3.0.txt"),
    "shiboken6": ("qt.txt", "lgpl-3.0.txt"),
    "pocl-binary-distribution": ("pocl.txt", "llvm.txt", "hwloc.txt"),
}
LICENCES = ROOT / "packaging" / "licences"
_SPACE = uuid.UUID("6f6ed3a4-6a57-5f1c-9d3e-0d1ad5150000")


def modules_of(app: Path) -> set[str]:
    """Return the names of top-level modules and packages in an app."""
    from PyInstaller.archive.readers import CArchiveReader

    names = {path.name.partition(".")[0] for path in (app / "_internal").iterdir()}
    for program in app.iterdir():
        if program.is_file() and program.suffix in ("", ".exe"):
            archive = CArchiveReader(str(program))
            for name in archive.toc:
                if name.endswith(".pyz"):
                    packed = archive.open_embedded_archive(name)
                    names |= {module.partition(".")[0] for module in packed.toc}
    return names


def bundled(app: Path) -> list[Distribution]:
    """Return the distributions with a module in the app, by name."""
    inside = modules_of(app)
    owners = importlib.metadata.packages_distributions()
    names = {owner for module in inside for owner in owners.get(module, ())}
    found = {name.lower(): importlib.metadata.distribution(name) for name in names}
    return [found[name] for name in sorted(found)]


def licence_name(distribution: Distribution) -> str:
    """Return what a distribution says its licence is; "" when it says nothing."""
    about = distribution.metadata
    said = about.get("License-Expression") or about.get("License") or ""
    if said and len(said) < 80 and "\n" not in said:
        return said
    classes = [c for c in about.get_all("Classifier") or () if c.startswith("License ::")]
    return "; ".join(c.rpartition(" :: ")[2] for c in classes)


def licence_texts(distribution: Distribution) -> Iterator[tuple[str, str]]:
    """Yield (file, text) of the licences that a distribution brings, or that are kept for it."""
    for name in TEXTS.get(distribution.name.lower(), ()):
        yield name, (LICENCES / name).read_text(encoding="utf-8").strip()
    for file in sorted(distribution.files or (), key=str):
        name = Path(str(file)).name
        if _LICENCE.match(name) and Path(name).suffix not in (".py", ".pyc", ".so"):
            path = Path(str(distribution.locate_file(file)))
            if path.is_file():
                yield str(file), path.read_text(encoding="utf-8", errors="replace").strip()


def system_libraries(app: Path, distributions: list[Distribution]) -> list[Path]:
    """Return the libraries that came from the building system and from no distribution."""
    known = {Path(str(file)).name for d in distributions for file in d.files or ()}
    files = sorted((app / "_internal").glob("lib*"))
    return [
        path
        for path in files
        if not path.is_symlink() and _LIBRARY.fullmatch(path.name) and path.name not in known
    ]


def system_package(library: str) -> str:
    """Return the Debian package that a library of the building system belongs to.

    Raises:
        LookupError: when it belongs to none, so that nobody knows its licence.
    """
    found = ldconfig_paths().get(library)
    if found is None:
        raise LookupError(f"{library}: not a library of this system: build and run this on one")
    # By its name: the folders of libraries are links, and packages name either.
    pattern = f"*/{Path(found).resolve().name}"
    told = subprocess.run(
        ["dpkg-query", "--search", pattern],  # noqa: S607 - the system's own
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode:
        raise LookupError(f"{library}: belongs to no package of this system")
    return told.stdout.partition(":")[0]


@functools.cache
def ldconfig_paths() -> dict[str, str]:
    """Return where the loader of the building system finds its libraries."""
    command = [shutil.which("ldconfig") or "/sbin/ldconfig", "-p"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in told.splitlines() if " => " in line]
    return {words[0]: words[-1] for words in reversed(lines)}


def system_texts(libraries: list[Path]) -> Iterator[tuple[str, str]]:
    """Yield (title, text) of Python's licence and of those of the libraries of the system."""
    python = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    if not python.is_file():
        python = Path("/usr/share/doc") / f"python3.{sys.version_info.minor}" / "copyright"
    yield f"Python {sys.version.split()[0]}", python.read_text(encoding="utf-8").strip()
    packages: dict[str, list[str]] = {}
    for path in libraries:
        if not path.name.startswith("libpython"):
            packages.setdefault(system_package(path.name), []).append(path.name)
    for package, names in sorted(packages.items()):
        text = (Path("/usr/share/doc") / package / "copyright").read_text(encoding="utf-8")
        yield f"{', '.join(names)}: Debian package {package}", text.strip()


def notice(distributions: list[Distribution], libraries: list[Path]) -> str:
    """Return the text of NOTICE."""
    lines = ["DL Advisor", "", (ROOT / "LICENSE").read_text(encoding="utf-8").strip(), ""]
    lines += ["What is bundled with it, and under which licence:", ""]
    for one in distributions:
        lines.append(f"  {one.name} {one.version}: {licence_name(one) or 'see its text below'}")
    lines.append(f"  Python {sys.version.split()[0]}: Python Software Foundation License")
    lines += [f"  {path.name}: a library of the building system" for path in libraries]
    for one in distributions:
        for name, text in licence_texts(one):
            lines += ["", "=" * 78, f"{one.name} {one.version}: {name}", "=" * 78, "", text]
    for title, text in system_texts(libraries):
        lines += ["", "=" * 78, title, "=" * 78, "", text]
    return "\n".join(lines) + "\n"


def sbom(distributions: list[Distribution], libraries: list[Path]) -> dict[str, object]:
    """Return the components as CycloneDX 1.6 says it."""
    components: list[dict[str, object]] = []
    for one in distributions:
        name = re.sub(r"[-_.]+", "-", one.name).lower()
        entry: dict[str, object] = {
            "type": "library",
            "bom-ref": f"pkg:pypi/{name}@{one.version}",
            "name": one.name,
            "version": one.version,
            "purl": f"pkg:pypi/{name}@{one.version}",
        }
        if licence_name(one):
            entry["licenses"] = [{"license": {"name": licence_name(one)}}]
        components.append(entry)
    components.append(
        {
            "type": "platform",
            "bom-ref": "python",
            "name": "CPython",
            "version": sys.version.split()[0],
            "licenses": [{"license": {"id": "PSF-2.0"}}],
        }
    )
    for path in libraries:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        hashes = [{"alg": "SHA-256", "content": content}]
        ref = f"file:{path.name}"
        components.append({"type": "file", "bom-ref": ref, "name": path.name, "hashes": hashes})
    version = (ROOT / "resources" / "VERSION").read_text(encoding="utf-8").strip()
    seed = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(_SPACE, seed)}",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "dl-advisor", "version": version}
        },
        "components": components,
    }


def main() -> int:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("app", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    distributions = bundled(given.app)
    libraries = system_libraries(given.app, distributions)
    text = notice(distributions, libraries)
    (given.out / "NOTICE").write_text(text, encoding="utf-8")
    document = json.dumps(sbom(distributions, libraries), indent=2) + "\n"
    (given.out / "sbom.cdx.json").write_text(document, encoding="utf-8")
    silent = [one.name for one in distributions if not any(licence_texts(one))]
    sys.stdout.write(f"{len(distributions)} packages, {len(libraries)} libraries\n")
    if silent:
        sys.stderr.write(f"without a text of their licence: {', '.join(silent)}\n")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
