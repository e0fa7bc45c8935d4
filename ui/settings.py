"""Folders of the user's own data, and the last results kept there.

The last recommendation is the bug report of the product: everything that it was made from is
in that one file.
Leaves to others: files in general (`ui.files`).
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from advisor.errors import InputError
from advisor.model.codec import dump_document
from ui.files import read_document, write_bytes
from ui.history.advices import keep_advice

if TYPE_CHECKING:
    from advisor.model.recommendation import Recommendation

APP_NAME = "dl-advisor"
# Packages tie it to the program: a double-click on a saved advice opens it.
SAVED_ENDING = "dl-advisor.json"


def data_folder() -> Path:
    """Return the folder for what the user would miss: results and history."""
    return Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


def own_rows_folder() -> Path:
    """Return the folder of the user's own rows, laid out as the bundled dataset."""
    return data_folder() / "data"


def prices_folder() -> Path:
    """Return the folder of refreshed prices, which the user would not miss."""
    return Path(platformdirs.user_cache_dir(APP_NAME, appauthor=False)) / "prices"


def tuning_folder() -> Path:
    """Return the folder for what measuring taught about OpenCL devices, which can be found anew."""
    return Path(platformdirs.user_cache_dir(APP_NAME, appauthor=False)) / "opencl"


def last_recommendation_file() -> Path:
    """Return where the last recommendation is kept."""
    return data_folder() / "last-recommendation.json"


def last_bench_file() -> Path:
    """Return where the last `bench` of the whole machine is kept."""
    return data_folder() / "last-bench.json"


def advices_folder() -> Path:
    """Return the folder where every finished recommendation is kept, up to a number."""
    return data_folder() / "history"


def trials_file() -> Path:
    """Return where finished runs of trials are kept."""
    return data_folder() / "history.sqlite3"


def overrides_file() -> Path:
    """Return where the values are kept that the user gave in place of probed ones."""
    folder = Path(platformdirs.user_config_dir(APP_NAME, appauthor=False))
    return folder / "own-machine-values.json"


def keep_overrides(overrides: Mapping[str, str]) -> None:
    """Keep the user's own values; a full or read-only disk must not cost the run."""
    with contextlib.suppress(OSError, InputError):
        overrides_file().parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(dict(sorted(overrides.items())), indent=1, ensure_ascii=False)
        write_bytes(overrides_file(), (text + "\n").encode("utf-8"))


def read_overrides() -> dict[str, str]:
    """Return the user's own values by dotted name; none from a file that cannot be read."""
    try:
        found = json.loads(overrides_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: text for name, text in found.items() if isinstance(text, str)}


def keep_last(recommendation: Recommendation) -> str | None:
    """Keep the recommendation for later and in the history.

    That of a run that was stopped is in the history alone, where the last one knows more of the
    same job. A full or read-only disk must not cost the answer.

    Returns:
        Why it could not be kept, None when it was.
    """
    try:
        data_folder().mkdir(parents=True, exist_ok=True)
        if not _is_part_of_last(recommendation):
            write_bytes(last_recommendation_file(), dump_document(recommendation).encode("utf-8"))
        keep_advice(recommendation, folder=advices_folder(), now=dt.datetime.now(dt.UTC))
    except OSError as error:
        return f"{error.filename or data_folder()}: {error.strerror or error}"
    except InputError as error:
        return str(error)
    return None


def _is_part_of_last(recommendation: Recommendation) -> bool:
    """Whether it was stopped, and the last one is of the same job and was not."""
    if recommendation.measurements is None or not recommendation.measurements.is_cancelled:
        return False
    last = read_last()
    return (
        last is not None
        and last.workload == recommendation.workload
        and last.measurements is not None
        and bool(last.measurements.measured)
        and not last.measurements.is_cancelled
    )


def read_last() -> Recommendation | None:
    """Return the last recommendation, None when there is none that can be read."""
    from advisor.model.recommendation import Recommendation

    with contextlib.suppress(InputError):
        return read_document(last_recommendation_file(), Recommendation)
    return None
