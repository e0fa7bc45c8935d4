"""Hand-built values that the window shows: an advice with long and short texts, a fake walk."""

import dataclasses
import threading

from advisor.model.kernel import ConvShape, Direction, GemmShape, StreamShape
from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    MeasurementSet,
    Outcome,
    Runner,
    SoftwareStack,
)
from advisor.model.option import OptionKind
from advisor.model.prediction import Cost, CostPart, Evidence
from advisor.model.quantity import Basis, Interval, Precision, Source
from advisor.model.recommendation import (
    AvoidedOption,
    Hint,
    Parameter,
    Preferences,
    RankedOption,
    Reason,
    ReasonCode,
    Recommendation,
    Rejection,
    ScorePart,
    Step,
)
from probes.bench.events import (
    KernelFinished,
    KernelStarted,
    SessionFinished,
    SessionStarted,
)
from tests.advisor.recommend.builders import (
    TODAY,
    a_cost,
    a_prediction,
    a_profile,
    a_workload,
    an_opencl,
    an_option,
    exactly,
)
from ui.journey import AdviceReady, PlanReady, ProfileReady, ProvisionalReady

A_SOURCE = Source(title="A study of convolutional networks", reference="example.org/a", date="2024")
SHAPES = (
    GemmShape(m=1024, n=1024, k=1024),
    ConvShape(
        n=32, c=64, spatial=(32, 32), k=64, kernel=(3, 3), strides=(1, 1), output=(32, 32),
        dilation=(1, 1),
    ),
    StreamShape(op="triad", elements=1 << 24),
)  # fmt: skip


def a_request(number=0, *, device_id="cpu", direction=Direction.FORWARD):
    return BenchmarkRequest(
        id=f"kernel/{number}",
        role="headline",
        runner=Runner.KERAS,
        device_id=device_id,
        shape=SHAPES[number % len(SHAPES)],
        direction=direction,
        precision=Precision.FLOAT32,
    )


def a_measurement(number=0, *, time_s=0.01, **changes):
    return Measurement(
        request=a_request(number, **changes),
        stack=SoftwareStack(
            framework="keras", framework_version="3.15.1", backend="tensorflow",
            backend_version="2.21.0",
        ),
        warmups_s=(0.2,),
        values_s=(time_s, time_s * 1.02, time_s * 0.99),
        loops=10,
        check="equals a NumPy reference within 1e-5",
    )  # fmt: skip


def a_failure(number=0, **changes):
    return FailedMeasurement(
        request=a_request(number, **changes),
        outcome=Outcome.TIMED_OUT,
        message="nothing was heard of the worker for 30 s",
    )


def cancelled_after(n_measured, *, n_asked):
    """Return the results of a run that the user stopped."""
    failures = tuple(
        dataclasses.replace(
            a_failure(number), outcome=Outcome.CANCELLED, message="cancelled before its turn"
        )
        for number in range(n_measured, n_asked)
    )
    measured = tuple(a_measurement(number) for number in range(n_measured))
    return MeasurementSet(measured_on=TODAY, duration_s=20.0, results=(*measured, *failures))


def results(count):
    return tuple(a_failure(i) if i % 7 == 5 else a_measurement(i) for i in range(count))


def a_reason(code, **parameters):
    return Reason(
        code=code,
        parameters=tuple(Parameter(name=name, value=value) for name, value in parameters.items()),
    )


def a_ranked(rank, title, *, kind=OptionKind.RUNTIME_SETTINGS, hours=1.0, usd=0.0, **changes):
    option = an_option(f"{kind.value}-{rank}", kind, title=title)
    evidence = Evidence(statement="Others measured 1.5 times the speed", source=A_SOURCE)
    values = {
        "option": option,
        "rank": rank,
        "prediction": a_prediction(option.id, hours=hours, evidence=(evidence,)),
        "cost": a_cost(usd),
        "speedup": exactly(3.6 / hours),
        "score": hours,
        "score_parts": (ScorePart(name="hours", value=hours),),
        "reasons": (a_reason(ReasonCode.FASTER_THAN_NOW, factor_x=3.6 / hours),),
        "steps": (
            Step(kind="text", caption="", content="Set it before Python starts."),
            Step(kind="shell", caption="In the terminal:", content="export OMP_NUM_THREADS=8"),
        ),
        "is_pareto": rank < 3,
    }
    return RankedOption(**{**values, **changes})


LONG_TITLE = (
    "Rent aws g4dn.xlarge in us-east-1 (Northern Virginia), on demand, with one NVIDIA T4 and"
    " four virtual processors, billed by the second"
)
MANY_STEPS = tuple(
    Step(kind="shell", caption=f"Step {n}:", content=f"gcloud compute something --number {n} " * 3)
    for n in range(12)
)


def _ranked():
    yield a_ranked(
        1, "Eight threads for the operators of TensorFlow", hours=1.2,
        reasons=(
            a_reason(ReasonCode.FASTER_THAN_NOW, factor_x=3.0, low_x=2.4, high_x=3.5),
            a_reason(ReasonCode.MEASURED_HERE, figure="412 GFLOP/s"),
            a_reason(ReasonCode.NO_COST_NO_CHANGE),
            a_reason(ReasonCode.CHEAPEST),
        ),
    )  # fmt: skip
    yield a_ranked(
        2, LONG_TITLE, kind=OptionKind.CLOUD, hours=0.3, usd=0.42, steps=MANY_STEPS,
        cost=Cost(
            total_usd=exactly(0.42),
            parts=(CostPart(code="compute", usd=exactly(0.4), explanation="0.76 h at 0.526 USD"),),
            missing=(),
            price_date="2026-07-20",
        ),
    )  # fmt: skip
    yield a_ranked(3, "Stay as it is", kind=OptionKind.STAY, hours=3.6, steps=())
    yield a_ranked(4, "OpenVINO instead", kind=OptionKind.CHANGE_FRAMEWORK, hours=4.0, usd=None)
    yield a_ranked(5, "Buy an RTX 3060", kind=OptionKind.BUY, hours=0.25, usd=329.0, is_pareto=True)


def an_advice(**changes):
    ranked = tuple(_ranked())
    measured = MeasurementSet(measured_on=TODAY, duration_s=62.0, results=results(12))
    values = {
        "created_on": TODAY,
        "app_version": "0.0.1",
        "profile": a_profile(opencl=(an_opencl(),)),
        "measurements": measured,
        "workload": a_workload(),
        "preferences": Preferences(),
        "baseline": ranked[2].prediction,
        "ranked": ranked,
        "hints": (
            Hint(
                option=an_option("hint", title="Larger batches"),
                reasons=(a_reason(ReasonCode.NO_FIGURE),),
                steps=(),
            ),
        ),
        "avoid": (
            AvoidedOption(
                option=an_option("xla", OptionKind.RUNTIME_SETTINGS, title="XLA on this CPU"),
                reasons=(a_reason(ReasonCode.PUBLISHED_SLOWER, low_x=0.1, high_x=0.5),),
                speedup=Interval(low=0.1, mid=0.3, high=0.5),
                evidence=(Evidence(statement="It was slower in 9 of 10 cases", source=A_SOURCE),),
            ),
        ),
        "rejected": (
            Rejection(
                option_id="cuda", title="CUDA", reasons=(a_reason(ReasonCode.GPU_MISSING),)
            ),
        ),
        "caveats": (),
        "n_offers_considered": 5266,
        "data_dates": (),
        "sources": (A_SOURCE,),
    }  # fmt: skip
    return Recommendation(**{**values, **changes})


def a_first_guess():
    ranked = tuple(
        dataclasses.replace(
            row, prediction=dataclasses.replace(row.prediction, basis=Basis.MODEL_ONLY)
        )
        for row in _ranked()
    )
    return an_advice(measurements=None, ranked=ranked)


class FakeWalk:
    """Sends the events of a run of `n` kernels, `pause_s` apart, on whatever thread calls it.

    `gate` holds it in the middle of measuring until it is set or the run is cancelled.
    """

    def __init__(self, n=6, *, pause_s=0.0, error=None, is_gated=False):
        self.n = n
        self.pause_s = pause_s
        self.error = error
        self.requests = []
        self.threads = []
        self.gate = threading.Event()
        if not is_gated:
            self.gate.set()

    def __call__(self, request, *, on_event, cancel):
        self.requests.append(request)
        self.threads.append(threading.current_thread())
        if self.error is not None:
            raise self.error
        on_event(ProfileReady(profile=an_advice().profile))
        self._pause(cancel)
        on_event(ProvisionalReady(recommendation=a_first_guess()))
        self._pause(cancel)
        on_event(PlanReady(n_kernels=self.n))
        on_event(SessionStarted(n_kernels=self.n))
        measured = self._measure(on_event, cancel)
        on_event(SessionFinished(measurements=measured))
        if not measured.measured:
            return a_first_guess()
        advice = an_advice(measurements=measured)
        on_event(AdviceReady(recommendation=advice))
        return advice

    def _pause(self, cancel):
        if self.pause_s:
            threading.Event().wait(self.pause_s)
        while not self.gate.wait(0.01) and not cancel.is_cancelled:
            pass

    def _measure(self, on_event, cancel):
        done = []
        for number, result in enumerate(results(self.n)):
            if number == self.n // 2:
                self._pause(cancel)
            if cancel.is_cancelled:
                break
            on_event(KernelStarted(request=result.request, stage="prepare"))
            self._pause(cancel)
            done.append(result)
            on_event(KernelFinished(result=result, n_done=len(done), n_total=self.n))
        return MeasurementSet(measured_on=TODAY, duration_s=1.0, results=tuple(done))
