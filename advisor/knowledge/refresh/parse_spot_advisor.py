"""AWS Spot Advisor: how often spot instances are interrupted, as bands in percent per month.

Leaves to others: prices, which other lists give better than its savings do.
"""

import json
from collections.abc import Iterable
from typing import Any

from advisor.knowledge.refresh.sources import PriceError
from advisor.model.offer import Offer, SpotBand

SOURCE = "AWS Spot Advisor"
# The highest band has no upper end.
HIGHEST_PERCENT = 100.0


def parse_bands(body: bytes, *, offers: Iterable[Offer], observed_on: str) -> tuple[SpotBand, ...]:
    """Return the bands of these AWS offers.

    Args:
        body: the whole answer.
        offers: bands of other machines are not kept.
        observed_on: ISO date of the download.

    Raises:
        PriceError: when it is not such an answer.
    """
    try:
        data = json.loads(body.decode("utf-8"))
        limits = _limits(data["ranges"])
        regions = {name: _linux(entry) for name, entry in data["spot_advisor"].items()}
    except UnicodeDecodeError:
        raise PriceError("the answer is not UTF-8") from None
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise PriceError("the answer is not the list of AWS Spot Advisor") from None
    places = sorted({(o.instance_type, o.region) for o in offers if o.vendor == "aws"})
    bands = []
    for instance_type, region in places:
        entry = regions.get(region, {}).get(instance_type)
        index = entry.get("r") if isinstance(entry, dict) else None
        if isinstance(index, int) and index in limits:
            low, high = limits[index]
            bands.append(
                SpotBand(
                    vendor="aws",
                    instance_type=instance_type,
                    region=region,
                    low_percent=low,
                    high_percent=high,
                    observed_on=observed_on,
                    source=SOURCE,
                )
            )
    return tuple(bands)


def _linux(entry: Any) -> dict[str, Any]:
    found = entry.get("Linux", {})
    if not isinstance(found, dict):
        raise TypeError("not a table")
    return found


def _limits(ranges: list[dict[str, Any]]) -> dict[int, tuple[float, float]]:
    """Return both ends of each band by index, from its label ("<5%", "5-10%", ">20%")."""
    limits = {}
    for entry in ranges:
        label = str(entry["label"]).replace("%", "").strip()
        if label.startswith("<"):
            ends = (0.0, float(label[1:]))
        elif label.startswith(">"):
            ends = (float(label[1:]), HIGHEST_PERCENT)
        else:
            low, _, high = label.partition("-")
            ends = (float(low), float(high))
        if not 0.0 <= ends[0] < ends[1] <= HIGHEST_PERCENT:
            raise ValueError(label)
        limits[int(entry["index"])] = ends
    return limits
