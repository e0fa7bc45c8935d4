"""The commands `collector serve` and `collector migrate`.

Leaves to others: the server (`advisor.share.collector`), parsing words (`ui.share_arguments`).
"""

import argparse
import importlib

from advisor.errors import InputError
from advisor.share.collector.settings import CollectorSettings
from advisor.share.community import LEAST_GROUP
from ui.exits import EXIT_DONE


def collector(options: argparse.Namespace) -> int:
    """Run the server until it is told to end, or bring its tables up to date."""
    try:
        server = importlib.import_module("advisor.share.collector.serve")
    except ModuleNotFoundError as error:
        raise InputError(
            f"the server needs {error.name}: in the sources, run"
            f" python3 start.py collector {options.action}"
        ) from None
    if options.action == "migrate":
        server.migrate_only(options.database)
        return EXIT_DONE
    if options.least_group < LEAST_GROUP:
        raise InputError(f"--least-group: {LEAST_GROUP} uploads are the least to hide in")
    if options.days_kept < 1:
        raise InputError("--days-kept: at least 1")
    server.serve(
        CollectorSettings(
            host=options.host,
            port=options.port,
            database=options.database,
            days_kept=options.days_kept,
            least_group=options.least_group,
            uploads_per_hour=options.uploads_per_hour,
            published_s=float(options.published_seconds),
            behind_proxy=options.behind_proxy,
        )
    )
    return EXIT_DONE
