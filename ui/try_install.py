"""`dl-advisor try --install`: a private environment, after its size was shown and the user agreed.

Nothing reaches for the network before that. It lies in the user's data folder and goes with
`--uninstall`.
Leaves to others: making it (`probes.bench.trials.private`).
"""

import argparse
import json
import shutil
import sys
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from advisor.errors import InputError
from advisor.i18n import N_, Translator
from probes.bench.trials import private
from ui.settings import data_folder
from ui.terminal import print_line, user_translator

_FACTS = "data/options/private_environments.json"
_YES = ("y", "yes")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateFacts:
    """What can be installed: its name, packages and size on disk, with what that rests on.

    `phase` is the only one that it can run; "" when it runs both.
    """

    name: str
    title: str
    packages: tuple[str, ...]
    size_bytes: int
    basis: str
    source: str
    phase: str


def private_facts() -> dict[str, PrivateFacts]:
    """Return the environments that can be made, by name."""
    table = json.loads((files("resources") / _FACTS).read_text(encoding="utf-8"))
    basis = f"{table['basis']}, {table['observed_on']}"
    return {
        row["name"]: PrivateFacts(
            name=row["name"],
            title=row["title"],
            packages=tuple(row["packages"]),
            size_bytes=row["size_bytes"],
            basis=basis,
            source=row["source"],
            phase=row.get("phase", ""),
        )
        for row in table["environments"]
    }


def facts_of(name: str) -> PrivateFacts:
    """Return what is known of an environment.

    Raises:
        InputError: when none has that name; lists those that can be made.
    """
    known = private_facts()
    if name not in known:
        raise InputError(f"{name!r} cannot be installed: choose among {', '.join(known)}")
    return known[name]


def environment_folder(name: str) -> Path:
    """Return where an environment lies."""
    return data_folder() / "environments" / name


def installed_python(options: argparse.Namespace) -> str:
    """Return the interpreter of the environment that is asked for; made when the user agrees.

    Raises:
        InputError: when it is unknown or does not run the job's phase, the user does not agree, or
            it cannot be made.
    """
    facts = facts_of(options.install)
    if facts.phase not in ("", options.phase):
        raise InputError(
            f"{facts.name} cannot be tried in {options.phase}: add --phase {facts.phase}"
        )
    folder = environment_folder(facts.name)
    if private.is_made(folder):
        return str(private.python_of(folder))
    wheels = options.find_links
    if wheels is not None and not Path(wheels).is_dir():
        raise InputError(f"{wheels}: there is no such folder")
    tr = user_translator()
    _show_plan(facts, folder, tr, from_folder=wheels)
    if not (options.yes or _agrees(tr)):
        raise InputError("nothing was installed: add --yes to agree")
    print_line(tr(N_("Installing: this takes minutes.")))
    return str(
        private.make_environment(
            folder,
            facts.packages,
            python=_base_python(options.python),
            size_bytes=facts.size_bytes,
            wheels=None if wheels is None else Path(wheels).resolve(),
        )
    )


def _show_plan(
    facts: PrivateFacts, folder: Path, tr: Translator, *, from_folder: str | None
) -> None:
    size = f"{facts.size_bytes >> 20} MiB"
    print_line(f"{tr(facts.title)}: {', '.join(facts.packages)}")
    print_line(tr(N_("Size on disk: about {size} ({basis}; {source})"),
                  size=size, basis=facts.basis, source=facts.source))  # fmt: skip
    print_line(tr(N_("Folder: {folder}"), folder=str(folder)))
    if from_folder is None:
        print_line(
            tr(N_("The packages come from the index that pip uses: your data may be billed."))
        )
    print_line(tr(N_("To remove it: dl-advisor try --uninstall {name}"), name=facts.name))


def _agrees(tr: Translator) -> bool:
    """Ask, where somebody can answer."""
    if not sys.stdin.isatty():
        return False
    sys.stderr.write(tr(N_("Install it?")) + " [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES


def _base_python(named: str | None) -> str:
    """Return the interpreter that an environment is made from.

    Raises:
        InputError: when we are a program of our own and there is no Python here.
    """
    if named is not None:
        return named
    if not getattr(sys, "frozen", False):
        return sys.executable
    found = shutil.which("python3") or shutil.which("python")
    if found is None:
        raise InputError("an environment is made from a Python: install one, or name it: --python")
    return found


def uninstall(name: str) -> None:
    """Remove an environment and say so.

    Raises:
        InputError: when none has that name, or it cannot be removed.
    """
    facts = facts_of(name)
    tr = user_translator()
    was_there = private.remove_environment(environment_folder(facts.name))
    text = N_("{name} was removed.") if was_there else N_("{name} is not installed.")
    print_line(tr(text, name=facts.name))
