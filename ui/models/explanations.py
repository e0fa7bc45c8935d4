"""Explanations of the figures that the window shows, for the pointer. No help page is needed.

Leaves to others: the reasons of an advice (`advisor.report.reasons`).
"""

from advisor.i18n import N_
from advisor.model.quantity import Basis

INTERVAL = N_(
    "The 80 % interval: in 8 of 10 cases the true time lies between the two figures in brackets."
)
DONE = N_(
    "From now to the result: computing, waiting, work that is done again, and your own work to set"
    " it up. Soonest is judged by it."
)
MONEY = N_(
    "What the whole job costs: rent by the seller's billing rule, disk, traffic, setting up; or"
    " the price of a purchase. A dash: a needed price is not known."
)
SPEEDUP = N_("Time of the job as things are now, divided by its time with this option.")
RANK = N_("Place under what you want. Options less than 10 % apart are a tie and share a place.")
SPREAD = N_("Median absolute deviation of the timed values: how much they scatter.")
BASIS_TIPS = {
    Basis.MEASURED: N_("Measured: this was timed on this machine."),
    Basis.SCALED_FROM_MEASUREMENT: N_(
        "Scaled from a measurement: kernels were timed on this machine and the job was computed"
        " from them."
    ),
    Basis.SCALED_FROM_PUBLISHED: N_(
        "Scaled from published results: others measured similar hardware; their figures were"
        " converted to this job."
    ),
    Basis.MODEL_ONLY: N_(
        "Model only: computed from data sheets. Nothing was measured, so the interval is wide."
    ),
}
