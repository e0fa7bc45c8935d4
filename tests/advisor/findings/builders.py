"""What the tests of the founding studies' claims have in common."""

import functools
from pathlib import Path

from advisor.knowledge.cloud import cloud_index
from advisor.model.option import Option, OptionKind
from advisor.model.prediction import Prediction
from advisor.model.quantity import Basis, Interval
from advisor.model.recommendation import Preferences
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.effort import Effort
from advisor.recommend.rank import Candidate
from advisor.recommend.recommend import recommend
from tests.advisor.recommend.builders import a_cost, a_cpu, a_profile
from tests.helpers.bundled import bundled_knowledge, index_of

ROOT = Path(__file__).parents[3]
A10 = ROOT / "tests" / "data" / "machines" / "a10-7850k" / "profile.json"
NOTHING = Interval(low=0.0, mid=0.0, high=0.0)
NO_EFFORT = Effort(work_s=0.0, wait_s=0.0, basis="")


@functools.cache
def market():
    """Return the facts, their price tables by key, and a small job: made once for all tests."""
    facts = bundled_knowledge()
    work = bundled_workload("mnist-mlp", job=Job(), networks=facts.networks)
    return facts, cloud_index(facts), work


def advise(knowledge, profile, network, *, job=None, **wishes):
    work = bundled_workload(network, job=job or Job(), networks=knowledge.networks)
    return recommend(
        profile,
        None,
        work,
        Preferences(**wishes),
        knowledge,
        today="2026-11-21",
        app_version="1",
        index=index_of(knowledge),
    )


def xeon():
    """A machine as that of the study: 2 x 10 cores with two threads each."""
    cpu = a_cpu(
        vendor="Intel", brand="Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz",
        microarchitecture="broadwell", isa_features=("avx", "avx2", "fma"), n_packages=2,
        n_physical_cores=20, n_logical_cpus=40, usable_cpus=40, base_mhz=2200.0, max_mhz=3100.0,
    )  # fmt: skip
    return a_profile(cpu=cpu, graphics=())


def a_candidate(name, seconds, usd, *, kind=OptionKind.CLOUD):
    time_s = Interval(low=seconds, mid=seconds, high=seconds)
    prediction = Prediction(
        option_id=name, step_s=time_s, epoch_s=time_s, total_s=time_s, basis=Basis.MEASURED,
        evidence=(), assumptions=(),
    )  # fmt: skip
    option = Option(id=name, title=name, kind=kind)
    return Candidate(
        option=option, prediction=prediction, cost=a_cost(usd), effort=NO_EFFORT, redone_s=NOTHING
    )
