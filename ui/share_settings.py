"""The few settings that are texts, and the folder of what was shared.

Leaves to others: folders in general (`ui.settings`), what is shared (`advisor.share`).
"""

import json
from pathlib import Path

import platformdirs

from advisor.errors import InputError, why_unreadable
from ui.files import write_bytes
from ui.settings import APP_NAME, data_folder

# Address of the server that results are shared with; without it nothing is ever sent.
SHARE_SERVER = "share_server"


def share_folder() -> Path:
    """Return the folder of what was shared, with the tokens that delete it."""
    return data_folder() / "share"


def settings_file() -> Path:
    """Return the file of the settings: one JSON object of texts."""
    return Path(platformdirs.user_config_dir(APP_NAME, appauthor=False)) / "settings.json"


def _settings() -> dict[str, str]:
    path = settings_file()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"{path}: {why_unreadable(error)}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: not JSON: mend or remove it") from None
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise InputError(f"{path}: not a list of settings: mend or remove it")
    return found


def read_setting(name: str) -> str | None:
    """Return a setting, None when it is not set.

    Raises:
        InputError: when the file cannot be read.
    """
    return _settings().get(name)


def keep_setting(name: str, value: str) -> None:
    """Set a setting."""
    _write_settings({**_settings(), name: value})


def forget_setting(name: str) -> None:
    """Remove a setting."""
    _write_settings({k: v for k, v in _settings().items() if k != name})


def _write_settings(values: dict[str, str]) -> None:
    path = settings_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    write_bytes(path, (json.dumps(values, indent=1, sort_keys=True) + "\n").encode("utf-8"))
