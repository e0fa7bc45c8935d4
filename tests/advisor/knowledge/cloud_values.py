"""An offer to look things up for."""

from advisor.model.offer import (
    Offer,
)

GIB = 1024**3
TODAY = "2026-11-21"


OFFER = Offer(
    vendor="azure",
    instance_type="Standard_D8s_v6",
    region="eastus",
    family="Dsv6",
    architecture="x86_64",
    vcpus=8.0,
    memory_bytes=32 * GIB,
    accelerator=None,
    n_accelerators=None,
    accelerator_memory_bytes=None,
    usd_per_hour=0.4,
    spot_usd_per_hour=None,
    observed_on="2026-06-18",
    spot_observed_on=None,
    source="test",
    spot_source=None,
)
