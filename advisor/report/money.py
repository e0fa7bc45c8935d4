"""What an option costs, in words: nothing, an amount, or that it is not known, and why."""

from advisor.format import format_usd, format_usd_interval
from advisor.i18n import N_, Translator
from advisor.model.prediction import Cost
from advisor.report.said import said


def money_text(cost: Cost, tr: Translator) -> str:
    """Return what a job costs, with what is not counted where nothing else is."""
    missing = ", ".join(said(each, tr) for each in cost.missing)
    if cost.total_usd is None:
        return tr(N_("cost unknown ({missing})"), missing=missing)
    if cost.total_usd.high > 0:
        return format_usd_interval(cost.total_usd)
    return tr(N_("no cost but the {missing}"), missing=missing) if missing else tr(N_("no cost"))


def short_money(cost: Cost) -> str:
    """Return the middle of a cost, "> 0 USD" where nothing is known but that there is some."""
    if cost.total_usd is None:
        return format_usd(None)
    if cost.missing and cost.total_usd.high == 0:
        return "> 0 USD"
    return format_usd(cost.total_usd.mid)
