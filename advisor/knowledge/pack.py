"""Writes the packed copies of the large tables: `python -m advisor.knowledge.pack`.

To be run after one of their CSV files was changed; without it the app still reads the files,
slower, and the check of the dataset says so.
Leaves to others: the form of a copy (`advisor.knowledge.packed`).
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from advisor.knowledge.packed import pack
from advisor.knowledge.store import TABLES, bundled_folder, packed_file, table_files


def pack_tables(folder: Path) -> tuple[str, ...]:
    """Write the copies of a data folder's large tables and return the names of those tables."""
    written = []
    for table in TABLES:
        parts = [(name, file.read_bytes()) for name, file in table_files(folder, table=table)]
        if table.is_packed and parts:
            target = Path(str(packed_file(folder, table=table)))
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(pack(parts, table.row_class))
            written.append(table.name)
    return tuple(written)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the packed copies of the bundled data, or of a folder."""
    parser = argparse.ArgumentParser(prog="advisor.knowledge.pack", description=main.__doc__)
    parser.add_argument("--folder", type=Path, help="data folder instead of the bundled one")
    options = parser.parse_args(arguments)
    for name in pack_tables(options.folder or Path(str(bundled_folder()))):
        sys.stdout.write(f"packed {name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
