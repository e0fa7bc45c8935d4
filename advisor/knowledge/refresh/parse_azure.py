"""Azure Retail Prices: pages of meters, of which few are the price of a Linux machine.

Dropped are the meters that stand beside it under the same name: Windows, Cloud Services, the
retired low priority, dedicated hosts, prices of 0, meters without a machine, out of force, not
per hour, not in USD. The API does not describe machines: those we do not know are left out.
Leaves to others: fetching the pages (`run`), trust (`accept`).
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from advisor.knowledge.refresh.identities import Identities
from advisor.knowledge.refresh.priced import (
    ROUNDING,
    PriceList,
    make_offer,
    possible,
    spot_below,
)
from advisor.knowledge.refresh.sources import PriceError

API_VERSION = "2023-01-01-preview"
_SPOT = " Spot"
_OTHER_PRODUCTS = (" Win", "Cloud Services", "CloudServices", "Dedicated")
_OTHER_SKUS = ("Low Priority", "LowPriority", "Dedicated")


@dataclass(frozen=True, slots=True, kw_only=True)
class AzurePage:
    """One page: its meters, and the address of the next, None after the last."""

    items: tuple[dict[str, Any], ...]
    next_link: str | None


def page_parameters(region: str) -> dict[str, str]:
    """Return the query for the machines of a region."""
    return {
        "api-version": API_VERSION,
        "currencyCode": "USD",
        "$filter": (
            "serviceName eq 'Virtual Machines' "
            f"and armRegionName eq '{region}' and priceType eq 'Consumption'"
        ),
    }


def parse_page(body: bytes) -> AzurePage:
    """Return one page.

    Raises:
        PriceError: when it is not such a page.
    """
    try:
        data = json.loads(body.decode("utf-8"), parse_constant=float)
    except UnicodeDecodeError:
        raise PriceError("the answer is not UTF-8") from None
    except (ValueError, RecursionError):
        raise PriceError("the answer is not JSON") from None
    items = data.get("Items") if isinstance(data, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise PriceError("the answer has no 'Items'")
    if data.get("BillingCurrency", "USD") != "USD":
        raise PriceError(f"the prices are in {data['BillingCurrency']!r}, not in USD")
    link = data.get("NextPageLink")
    return AzurePage(items=tuple(items), next_link=link if isinstance(link, str) and link else None)


def parse_meters(
    items: Iterable[dict[str, Any]],
    *,
    known: Identities,
    regions: tuple[str, ...],
    observed_on: str,
    source_key: str,
) -> PriceList:
    """Return the list of the machines among meters; see `parse_catalog` for the arguments."""
    listed = list(items)
    prices: dict[tuple[str, str], dict[bool, tuple[str, float]]] = {}
    n_impossible = 0
    for item in listed:
        if not _is_linux_machine(item, regions, observed_on):
            continue
        usd = item.get("retailPrice")
        if usd == 0:
            continue
        if not isinstance(usd, int | float) or not possible(float(usd)):
            n_impossible += 1
            continue
        forms = prices.setdefault((item["armSkuName"], item["armRegionName"]), {})
        # Of two meters in force the younger counts, of equals the dearer.
        found = (str(item.get("effectiveStartDate", "")), float(usd))
        is_spot = _is_spot(item)
        forms[is_spot] = max(found, forms.get(is_spot, found))
    n_spot_above = sum(_is_spot_above(forms) for forms in prices.values())
    return PriceList(
        offers=tuple(_offers(prices, known, observed_on, source_key)),
        n_listed=len(listed),
        n_impossible=n_impossible,
        n_spot_above=n_spot_above,
    )


def _is_spot_above(forms: dict[bool, tuple[str, float]]) -> bool:
    return len(forms) == 2 and forms[True][1] > forms[False][1] * ROUNDING


def _offers(
    prices: dict[tuple[str, str], dict[bool, tuple[str, float]]],
    known: Identities,
    observed_on: str,
    source_key: str,
) -> Iterator[Any]:
    for (name, region), forms in prices.items():
        facts = known.machines.get(("azure", name))
        if facts is None:
            continue
        usd = forms[False][1] if False in forms else None
        spot = spot_below(forms[True][1] if True in forms else None, usd)
        if usd is not None or spot is not None:
            yield make_offer(
                facts, vendor="azure", instance_type=name, region=region, usd=usd, spot_usd=spot,
                observed_on=observed_on, source=source_key,
            )  # fmt: skip


def _is_spot(item: dict[str, Any]) -> bool:
    return _text(item, "skuName").endswith(_SPOT) or _text(item, "meterName").endswith(_SPOT)


def _is_linux_machine(item: dict[str, Any], regions: tuple[str, ...], observed_on: str) -> bool:
    product = _text(item, "productName")
    skus = (_text(item, "skuName"), _text(item, "meterName"))
    end = _text(item, "effectiveEndDate")
    return (
        bool(_text(item, "armSkuName"))
        and _text(item, "armRegionName") in regions
        and _text(item, "type") == "Consumption"
        and _text(item, "unitOfMeasure") == "1 Hour"
        and _text(item, "currencyCode") in ("USD", "")
        and not any(word in product for word in _OTHER_PRODUCTS)
        and not any(word in sku for word in _OTHER_SKUS for sku in skus)
        and not end
        and _text(item, "effectiveStartDate")[:10] <= observed_on
    )


def _text(item: dict[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
