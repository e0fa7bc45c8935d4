"""The words of the commands `share` and `collector`.

Leaves to others: the commands (`ui.share_commands`, `ui.collector_commands`).
"""

import argparse
from pathlib import Path
from typing import Any

from advisor.i18n import N_


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number >= 0")
    return int(text)


def _port(text: str) -> int:
    port = _count(text)
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: 1 to 65535")
    return port


def add_share(commands: Any) -> None:
    """Add `share`: nothing is sent but by `share send` and `share delete`."""
    share = commands.add_parser("share", help=N_("share results, anonymous and deletable"))
    actions = share.add_subparsers(dest="action", metavar="ACTION", required=True)
    preview = actions.add_parser(
        "preview", help=N_("show exactly what would be sent; send nothing")
    )
    preview.add_argument("--out", type=Path, metavar="FILE", help=N_("write it to a file"))
    send = actions.add_parser("send", help=N_("send it, after asking; and what could not be sent"))
    send.add_argument("--yes", action="store_true", help=N_("do not ask"))
    send.add_argument(
        "--waiting", action="store_true", help=N_("only what could not be sent before")
    )
    send.add_argument("--again", action="store_true", help=N_("even if the same was sent before"))
    actions.add_parser("list", help=N_("all that was ever sent"))
    delete = actions.add_parser("delete", help=N_("delete an upload from the server"))
    delete.add_argument("id", metavar="ID", help=N_("as `share list` shows it, or `all`"))
    server = actions.add_parser("server", help=N_("show or set the server's address"))
    server.add_argument(
        "url", nargs="?", metavar="URL", help=N_("https address; `none` to forget it")
    )
    for parser in (preview, send):
        parser.add_argument(
            "--recommendation", type=Path, metavar="FILE", help=N_("default: last run")
        )
    for parser in (preview, send, delete):
        parser.add_argument("--server", metavar="URL", help=N_("this time, instead of the setting"))


def add_collector(commands: Any) -> None:
    """Add `collector`: the server that receives shared results."""
    collector = commands.add_parser("collector", help=N_("the server that receives shared results"))
    collector.add_argument("action", choices=["serve", "migrate"])
    collector.add_argument("--host", default="127.0.0.1", metavar="ADDRESS")
    collector.add_argument("--port", type=_port, default=8470, metavar="N")
    collector.add_argument(
        "--database",
        default="collector.sqlite",
        metavar="FILE|URL",
        help=N_("SQLite file, or postgresql:// address"),
    )
    collector.add_argument(
        "--days-kept",
        type=_count,
        default=180,
        metavar="N",
        help=N_("then uploads are only counted"),
    )
    collector.add_argument(
        "--least-group", type=_count, default=5, metavar="K", help=N_("smallest published group")
    )
    collector.add_argument(
        "--uploads-per-hour",
        type=_count,
        default=60,
        metavar="N",
        help=N_("by address; 0: no limit"),
    )
    collector.add_argument(
        "--published-seconds",
        type=_count,
        default=300,
        metavar="S",
        help=N_("age of published groups"),
    )
    collector.add_argument(
        "--behind-proxy", metavar="ADDRESS", help=N_("proxy whose word about senders is believed")
    )
