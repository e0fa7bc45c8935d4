"""Which function does a command. Each module is imported when one of its commands is wanted.

So the version comes at once, no other command loads what the cloud or the collector needs, and
the command line runs where Qt cannot.
Leaves to others: the commands themselves (`ui.commands` and its neighbours), the words (`ui.cli`).
"""

import argparse

from advisor.errors import InputError
from ui.ending import as_ctrl_c
from ui.exits import EXIT_DONE

# Commands whose answer rests on the dataset, and so on the user's own rows.
DATASET_COMMANDS = frozenset({"advise", "predict", "recommend", "compare", "explain", "networks"})


def _version() -> int:
    """Print the version; nothing else is loaded for it."""
    from ui.journey import app_version
    from ui.terminal import print_line

    print_line(f"dl-advisor {app_version()}")
    return EXIT_DONE


def _prices(options: argparse.Namespace) -> int:
    from ui import price_commands

    return price_commands.prices(options)


def _share(options: argparse.Namespace) -> int:
    from ui import share_commands

    return share_commands.share(options)


def _data(options: argparse.Namespace) -> int:
    from ui import commands, share_commands

    if options.action == "pull":
        return share_commands.pull_rows(options)
    if options.url is not None:
        raise InputError("URL goes with `data pull`")
    return commands.data(options)


def _collector(options: argparse.Namespace) -> int:
    from ui import collector_commands

    return collector_commands.collector(options)


def _try(options: argparse.Namespace) -> int:
    from ui import try_commands

    return try_commands.try_settings(options)


def _history(options: argparse.Namespace) -> int:
    from ui import history_commands

    return history_commands.history(options)


def _saved(options: argparse.Namespace) -> int:
    from ui import saved_commands

    of = {
        "predict": saved_commands.predict,
        "recommend": saved_commands.recommend,
        "report": saved_commands.report,
    }
    return of[options.command](options)


def _knowledge(options: argparse.Namespace) -> int:
    from ui import knowledge_commands

    of = {"compare": knowledge_commands.compare, "explain": knowledge_commands.explain}
    return of[options.command](options)


def dispatch(options: argparse.Namespace) -> int:
    """Do what the parsed arguments ask for; return the exit code.

    Raises:
        AdvisorError: when the input is bad.
    """
    if options.command == "collector":
        return _collector(options)
    if options.version:
        return _version()
    if options.command is None:
        from ui.window_command import window

        return window(options)
    # The window and the collector have an end of their own.
    with as_ctrl_c():
        return _measured_or_read(options)


def _measured_or_read(options: argparse.Namespace) -> int:
    from ui import commands

    chosen = {
        "advise": commands.advise,
        "probe": commands.probe,
        "bench": commands.bench,
        "try": _try,
        "history": _history,
        "predict": _saved,
        "recommend": _saved,
        "report": _saved,
        "compare": _knowledge,
        "explain": _knowledge,
        "networks": commands.networks,
        "prices": _prices,
        "data": _data,
        "share": _share,
        "doctor": commands.doctor,
    }[options.command]
    code = chosen(options)
    if options.command in DATASET_COMMANDS:
        commands.tell_skipped()
    return code
