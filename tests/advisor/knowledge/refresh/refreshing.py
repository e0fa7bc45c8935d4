"""A refresh from the server of a test, with its outcomes by name."""

from advisor.knowledge.refresh.run import refresh_prices
from tests.advisor.knowledge.refresh.servers import (
    around,
    aws_offers,
    catalog,
    request,
)

VMS = "/v8/aws/vms.csv"
GOOD = catalog(aws_offers(), factor=1.1)


def refresh(server, folder, **more):
    """Return the outcomes by name."""
    known = more.pop("around", {})
    outcomes = refresh_prices(request(server, **more), around=around(folder, **known))
    return {outcome.name: outcome for outcome in outcomes}
