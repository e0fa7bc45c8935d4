"""How a collector is run.

Leaves to others: reading the command line (`ui.share_commands`).
"""

from dataclasses import dataclass

from advisor.share.community import LEAST_GROUP


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorSettings:
    """Settings of one server process.

    Attributes:
        database: path of an SQLite file, or a URL.
        days_kept: after so many days an upload is forgotten and its figures are only counted.
        least_group: uploads that a published group has at least.
        uploads_per_hour: from one address, 0 for no limit.
        published_s: how long a published answer stays in use.
        behind_proxy: address of the proxy whose word about the sender is believed.
    """

    host: str = "127.0.0.1"
    port: int = 8470
    database: str = "collector.sqlite"
    days_kept: int = 180
    least_group: int = LEAST_GROUP
    uploads_per_hour: int = 60
    published_s: float = 300.0
    behind_proxy: str | None = None
