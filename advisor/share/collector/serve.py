"""Starting the collector.

Leaves to others: the interface (`app`), the command line (`ui.collector_commands`).
"""

import gc

import uvicorn
from sqlalchemy.exc import SQLAlchemyError

from advisor.errors import InputError
from advisor.knowledge.store import load_knowledge
from advisor.share.collector.app import make_app
from advisor.share.collector.database import database_url, migrate, open_database
from advisor.share.collector.log import set_up_logging
from advisor.share.collector.settings import CollectorSettings

_KEEP_ALIVE_S = 30
_END_S = 10


def migrate_only(database: str) -> None:
    """Bring the tables up to date.

    Raises:
        InputError: when the database cannot be opened or changed.
    """
    engine = open_database(database_url(database))
    try:
        migrate(engine)
    except SQLAlchemyError as error:
        raise InputError(f"the database cannot be used: {_reason(error)}") from None
    finally:
        engine.dispose()


def serve(settings: CollectorSettings) -> None:
    """Serve until the process is told to end.

    Raises:
        InputError: when the database cannot be used.
    """
    set_up_logging()
    migrate_only(settings.database)
    engine = open_database(database_url(settings.database))
    app = make_app(settings, engine=engine, knowledge=load_knowledge())
    # What is there now stays: a collection that looks at it again would make requests wait.
    gc.collect()
    gc.freeze()
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_END_S,
        proxy_headers=settings.behind_proxy is not None,
        forwarded_allow_ips=settings.behind_proxy,
    )


def _reason(error: SQLAlchemyError) -> str:
    cause = getattr(error, "orig", None) or error
    return str(cause).strip().split("\n")[0] or type(error).__name__
