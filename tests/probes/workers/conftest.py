"""Makes the workers' modules importable by their plain names, as in a worker."""

import sys
from pathlib import Path

WORKERS = Path(__file__).parents[3] / "probes" / "workers"
if str(WORKERS) not in sys.path:
    sys.path.insert(0, str(WORKERS))
