"""The command line: what the words mean, and how each command ends.

Exit codes: 0 done, 2 bad arguments or bad input (one line), 3 done with something missing,
130 cancelled. Never imports Qt: the window is started by `ui.app`, imported when it is wanted.
Leaves to others: which function does a command (`ui.dispatch`).
"""

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from advisor.errors import AdvisorError
from advisor.i18n import N_
from advisor.model.objective import Objective
from advisor.model.quantity import Phase, Precision
from advisor.report.called import as_called
from ui.dispatch import dispatch
from ui.exits import EXIT_BAD_INPUT, EXIT_CANCELLED, EXIT_DONE, EXIT_FAULT
from ui.logs import kept_log, log_fault, log_file
from ui.one_line_parser import OneLineParser
from ui.program import check_home, program_name
from ui.share_arguments import add_collector, add_share
from ui.streams import drop_rest, open_missing, say_line
from ui.try_arguments import add_history, add_try

# Of what is said of an argument; a path has 4096 at most.
_LONGEST_LINE = 5000
# More money, hours or gigabytes than anybody means.
_MOST = 1e12


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


def _positive_number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {_MOST:g}")
    return value


def _add_workload(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(N_("workload"))
    group.add_argument(
        "workload", nargs="?", metavar="WORKLOAD", help=N_("bundled network name or model file")
    )
    group.add_argument("--network", metavar="NAME", help=N_("bundled network (see `networks`)"))
    group.add_argument(
        "--model", type=Path, metavar="FILE", help=N_(".keras, Keras JSON or ONNX file")
    )
    group.add_argument(
        "--batch-size", type=_whole_number, metavar="N", help=N_("samples in a mini-batch")
    )
    group.add_argument("--phase", choices=[p.value for p in Phase], default=Phase.TRAINING.value)
    group.add_argument(
        "--precision", choices=[p.value for p in Precision], default=Precision.FLOAT32.value
    )
    group.add_argument("--samples", type=_whole_number, metavar="N", help=N_("samples in an epoch"))
    group.add_argument("--epochs", type=_whole_number, metavar="N")
    group.add_argument("--optimizer", choices=["sgd", "adam", "rmsprop", "adadelta"])


def _add_preferences(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(N_("preferences"))
    group.add_argument(
        "--objective", choices=[o.value for o in Objective], default=Objective.BALANCED.value
    )
    group.add_argument("--max-usd", type=_positive_number, metavar="X", help=N_("most to be spent"))
    group.add_argument("--deadline-hours", type=_positive_number, metavar="H")
    group.add_argument(
        "--regions",
        metavar="R,R",
        help=N_("cloud regions or europe, north-america, asia-pacific ..., default any"),
    )
    group.add_argument(
        "--no-cloud", action="store_true", help=N_("leave rented machines out; free notebooks stay")
    )
    group.add_argument("--no-buy", action="store_true", help=N_("leave purchases out"))
    group.add_argument("--electricity-usd-per-kwh", type=_positive_number, metavar="X")
    group.add_argument(
        "--data-gb", type=_positive_number, metavar="X", help=N_("size of your data set")
    )
    group.add_argument(
        "--hours-per-week",
        type=_positive_number,
        metavar="H",
        help=N_("how long you compute a week"),
    )


def _add_budget(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--quick", action="store_true", help=N_("about a minute (default)"))
    group.add_argument("--thorough", action="store_true", help=N_("up to ten minutes"))


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json",
        nargs="?",
        const="-",
        metavar="FILE",
        help=N_("the typed value as JSON (no FILE: print)"),
    )


def _add_saved(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", type=Path, metavar="FILE", help=N_("saved by `probe --json`"))
    text = N_("saved by `bench --out`; default: the last run")
    parser.add_argument("--measurements", type=Path, metavar="FILE", help=text)


def _add_prices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=["status", "refresh", "regions"], default="status"
    )
    parser.add_argument("--vendor", metavar="V,V", default="", help=N_("only these, default all"))
    parser.add_argument("--regions", metavar="R,R", default="", help=N_("default: the usual six"))
    parser.add_argument("--catalog-url", action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--azure-url", help=argparse.SUPPRESS)
    parser.add_argument("--spot-advisor-url", help=argparse.SUPPRESS)
    parser.add_argument("--total-s", type=_positive_number, help=argparse.SUPPRESS)
    _add_json(parser)


def build_parser() -> OneLineParser:
    """Return the parser of all commands."""
    parser = OneLineParser(
        prog=program_name(),
        description=N_(
            "Measures this machine and tells how to make deep learning faster or cheaper."
        ),
        epilog=N_("Without a command the window opens."),
    )
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--page", metavar="NAME", help=N_("open the window on this page"))
    parser.add_argument(
        "--open",
        metavar="FILE",
        help=N_("open the window with a saved advice; a lone FILE.json does"),
    )
    parser.add_argument("--debug", action="store_true", help=N_("show where an error came from"))
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=OneLineParser)

    advise = commands.add_parser("advise", help=N_("the whole job: probe, measure, advise, report"))
    _add_workload(advise)
    _add_preferences(advise)
    _add_budget(advise)
    _add_json(advise)
    advise.add_argument("--pdf", type=Path, metavar="FILE", help=N_("write the report as PDF"))
    advise.add_argument(
        "--device", action="append", metavar="ID", help=N_("measure only this device")
    )

    probe = commands.add_parser("probe", help=N_("facts about this machine"))
    _add_json(probe)

    bench = commands.add_parser("bench", help=N_("measure this machine"))
    _add_budget(bench)
    _add_json(bench)
    bench.add_argument(
        "--device", action="append", metavar="ID", help=N_("measure only this device")
    )
    bench.add_argument("--network", metavar="NAME", help=N_("measure this network's kernels too"))
    bench.add_argument("--python", metavar="PATH", help=N_("measure this interpreter's frameworks"))
    bench.add_argument(
        "--sustained",
        type=_positive_number,
        metavar="MINUTES",
        help=N_("one product for so long: does the machine throttle?"),
    )
    bench.add_argument("--out", type=Path, metavar="FILE", help=N_("save the measurements"))

    attempt = commands.add_parser("try", help=N_("real steps under each setting, before and after"))
    _add_workload(attempt)
    add_try(attempt)
    _add_json(attempt)
    add_history(commands.add_parser("history", help=N_("what was advised and tried before")))

    predict = commands.add_parser("predict", help=N_("predicted times of a network here"))
    _add_workload(predict)
    _add_saved(predict)
    _add_json(predict)

    recommend = commands.add_parser("recommend", help=N_("advice from saved values, no measuring"))
    _add_workload(recommend)
    _add_preferences(recommend)
    _add_saved(recommend)
    recommend.add_argument("--pdf", type=Path, metavar="FILE")
    _add_json(recommend)

    report = commands.add_parser("report", help=N_("PDF or text from a saved recommendation"))
    report.add_argument(
        "recommendation",
        nargs="?",
        type=Path,
        metavar="RECOMMENDATION.json",
        help=N_("default: last"),
    )
    report.add_argument("--pdf", type=Path, metavar="FILE")

    compare = commands.add_parser("compare", help=N_("this machine among published results"))
    _add_workload(compare)
    _add_saved(compare)
    compare.add_argument(
        "--kind", choices=["cpu", "igpu", "dgpu"], help=N_("only devices of this kind")
    )
    _add_json(compare)

    explain = commands.add_parser(
        "explain", help=N_("what became of a system, flag or device, and what to take here")
    )
    explain.add_argument(
        "name",
        nargs="*",
        metavar="NAME",
        help=N_("as old advice spells it; without one all names are listed"),
    )
    explain.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help=N_("saved by `probe --json`, or an advice; default: this machine and its last advice"),
    )
    _add_json(explain)

    networks = commands.add_parser("networks", help=N_("bundled networks"))
    networks.add_argument(
        "name", nargs="?", help=N_("show the layers of this one, or of a model file")
    )
    data = commands.add_parser("data", help=N_("the bundled dataset"))
    data.add_argument("action", choices=["validate", "findings", "pull"])
    data.add_argument("url", nargs="?", metavar="URL", help=N_("of a collector, for `pull`"))
    _add_prices(commands.add_parser("prices", help=N_("age of the cloud prices; fetch newer ones")))
    add_share(commands)
    add_collector(commands)
    doctor = commands.add_parser("doctor", help=N_("what to paste into a bug report"))
    _add_json(doctor)
    return parser


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; every error is one line on stderr."""
    open_missing()
    with kept_log():
        try:
            return _run(arguments)
        finally:
            drop_rest()


def _run(arguments: Sequence[str]) -> int:
    is_debug = "--debug" in arguments
    try:
        check_home()
        code = dispatch(build_parser().parse_args(_with_open(arguments)))
        # A disk that is full, or a reader that is gone, is told now and not after the end.
        sys.stdout.flush()
    except KeyboardInterrupt:
        _say(N_("cancelled"))
        return EXIT_CANCELLED
    except BrokenPipeError:
        # The reader of our output is gone (`| head`): nobody to tell.
        return 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else EXIT_DONE
    except (AdvisorError, MemoryError, OSError, OverflowError) as error:
        if is_debug:
            raise
        from advisor.report.said import said_line
        from ui.terminal import user_translator

        _say("{line}", line=said_line(_one_line(error), user_translator()))
        return EXIT_BAD_INPUT
    except Exception as error:
        if is_debug:
            raise
        return _tell_fault(error)
    return code


def _with_open(arguments: Sequence[str]) -> list[str]:
    """Return the arguments; one file alone, as a file manager gives it, opens in the window."""
    if len(arguments) == 1 and arguments[0].lower().endswith(".json"):
        return ["--open", arguments[0]]
    return list(arguments)


def _tell_fault(error: Exception) -> int:
    log_fault(error)
    told = f"{type(error).__name__}: {_one_line(error)}"
    if log_file().is_file():
        text = N_("a fault of DL Advisor, not yours: {told} (details in {file})")
        _say(text, told=told, file=str(log_file()))
    else:
        _say(N_("a fault of DL Advisor, not yours: {told} (details with --debug)"), told=told)
    return EXIT_FAULT


def _say(text: str, **values: str) -> None:
    """Write one line to standard error, in the user's language."""
    from ui.terminal import user_translator

    line = as_called(user_translator()(text, **values), program_name())
    say_line(f"dl-advisor: {_cut(line)}")


def _cut(line: str) -> str:
    """Return a line that a terminal can show: nothing that steers it, and no endless echo."""
    from ui.terminal import shown

    line = shown(line)
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE // 2]} … {line[-60:]}"


def _one_line(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "out of memory: close other programs, or choose a smaller network or batch"
    if isinstance(error, OverflowError):
        return "a number is too large to count with: look at those that you gave, and at the files"
    return " ".join(str(error).split()) or type(error).__name__
