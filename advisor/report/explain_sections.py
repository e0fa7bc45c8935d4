"""An explanation as a report: what became of it, and what to take on the user's machine.

Leaves to others: finding it (`advisor.compare.explain`).
"""

from collections.abc import Iterable

from advisor.format import (
    UNKNOWN,
    format_bytes,
    format_duration_interval,
    format_factor,
    format_number,
    format_rate,
)
from advisor.i18n import N_, NP_, Translator
from advisor.model.explanation import (
    Advised,
    AdvisedJob,
    AdvisedPlace,
    DeviceFacts,
    ExplainedOption,
    Explanation,
    Route,
)
from advisor.model.machine import DeviceKind
from advisor.model.option import Advice, OptionFact
from advisor.model.published import CpuIsaRow, DeviceSpec, GpuFamily, PastSystem
from advisor.model.quantity import Phase
from advisor.model.recommendation import Reason, ReasonCode
from advisor.model.report import Block, Facts, Paragraph, Report, Section
from advisor.report.conditions_text import condition_text
from advisor.report.machine_sections import DEVICE_KINDS
from advisor.report.names import KINDS, PHASES
from advisor.report.reasons import clauses_text, reason_text
from advisor.report.said import said, said_list, said_pieces, said_title

_LEVELS = {
    "official": N_("officially supported"),
    "unofficial": N_("unofficial: measure before you believe it"),
    "none": N_("no software for it"),
}
_ADVICE = {
    Advice.RECOMMEND: N_("worth doing where it applies"),
    Advice.CONDITIONAL: N_("depends: measure it"),
    Advice.AVOID: N_("avoid"),
}
_MOST_TITLES = 4
_MOST_MEMBERS = 12
_LEFT_OUT = N_("Your advice leaves it out: {why}.")


def build_explanation_report(explanation: Explanation, tr: Translator) -> Report:
    """Return what a name means and what to take instead, as a report of its own."""
    sections = [
        *([_system_section(explanation.system, tr)] if explanation.system else []),
        *(_option_section(option, explanation.job, tr) for option in explanation.options),
        *(_device_section(device, tr) for device in explanation.devices),
    ]
    if explanation.routes:
        sections.append(_here_section(explanation, tr))
    return Report(
        title=explanation.asked,
        subtitle=_where(explanation, tr),
        sections=tuple(sections),
        footer="",
        language=tr.language,
    )


def _where(explanation: Explanation, tr: Translator) -> str:
    job = explanation.job
    if job is None:
        return tr(N_("On {machine}"), machine=explanation.machine)
    return tr(
        N_("On {machine}, by your advice of {date}: {network}, {phase}"),
        machine=explanation.machine,
        date=job.created_on,
        network=job.title,
        phase=tr(PHASES[job.phase]),
    )


def _facts(rows: Iterable[tuple[str, str | None]], tr: Translator) -> Facts:
    return Facts(rows=tuple((tr(label), text) for label, text in rows if text))


def _system_section(system: PastSystem, tr: Translator) -> Section:
    is_alive = system.status.startswith(("active", "maintained"))
    rows = (
        (N_("What it is") if is_alive else N_("What it was"), said(system.role, tr)),
        (N_("Now"), said(system.status, tr)),
        (N_("Ended"), said(system.ended or "", tr)),
        (N_("To take") if is_alive else N_("In its place"), said_list(system.successor or "", tr)),
        (N_("Source"), said_list(system.source, tr)),
    )
    advice = Paragraph(text=said(system.advice, tr), style="lead")
    return Section(title=system.name, blocks=(advice, _facts(rows, tr)))


def _option_section(option: ExplainedOption, job: AdvisedJob | None, tr: Translator) -> Section:
    fact = option.fact
    if option.advised is not None and job is not None:
        lead = _advised_text(option.advised, tr)
    elif not option.refusals:
        lead = tr(N_("On this machine: {advice}."), advice=tr(_ADVICE[fact.advice]))
    else:
        why = tr(N_("; ")).join(_refusal_text(reason, tr) for reason in option.refusals)
        is_of_job = job is not None and job.phase.value in fact.phases
        text = _LEFT_OUT if is_of_job else N_("It does not apply to this machine: {why}.")
        lead = tr(text, why=why)
    settings = " ".join(f"{s.name}={s.value}" for s in fact.environment)
    rows = (
        (N_("Kind"), tr(KINDS[fact.kind])),
        (N_("For"), ", ".join(tr(PHASES[Phase(phase)]) for phase in fact.phases)),
        (N_("How"), said_pieces(fact.how, tr)),
        (N_("Variables"), settings),
        (N_("Speed elsewhere"), _effect(fact, tr)),
        (N_("Risks"), said(fact.risks or "", tr)),
        (N_("Source"), said_list(fact.effect_source or fact.source, tr)),
        (N_("Looked at on"), fact.verified_on),
    )
    return Section(
        title=f"{said(fact.title, tr)} ({fact.id})",
        blocks=(Paragraph(text=lead, style="lead"), _facts(rows, tr)),
    )


def _advised_text(advised: Advised, tr: Translator) -> str:
    """Return what the user's advice says of an option, in its own figures and reasons."""
    if advised.place is AdvisedPlace.RANKED and advised.total_s and advised.speedup:
        return tr(
            N_("In your advice no. {rank}: {time} for the whole job, {factor} the speed of now."),
            rank=advised.rank,
            time=format_duration_interval(advised.total_s, tr),
            factor=format_factor(advised.speedup.mid),
        )
    why = clauses_text([reason_text(reason, tr) for reason in advised.reasons], tr)
    if advised.place is AdvisedPlace.AVOID:
        return tr(N_("Your advice says to avoid it: {why}."), why=why)
    return tr(N_("In your advice it is worth trying, not ranked: {why}."), why=why)


def _refusal_text(refusal: Reason, tr: Translator) -> str:
    """Return why a row does not apply; the sentence around it says already that it does not."""
    if refusal.code is ReasonCode.EXCLUDED:
        (condition,) = refusal.parameters
        return condition_text(str(condition.value), tr)
    if refusal.code is ReasonCode.NOT_APPLICABLE:
        why = next((each.value for each in refusal.parameters if each.name == "why"), None)
        if isinstance(why, str):
            return said(why, tr)
    return reason_text(refusal, tr)


def _effect(fact: OptionFact, tr: Translator) -> str:
    known = [effect for effect in (fact.effect_low, fact.effect_high) if effect is not None]
    if not known:
        return tr(N_("no figure is known"))
    low, high = format_factor(min(known)), format_factor(max(known))
    figure = low if low == high else f"{low} – {high}"
    return f"{figure}: {said(fact.effect_basis, tr)}" if fact.effect_basis else figure


def _device_section(device: DeviceFacts, tr: Translator) -> Section:
    blocks: list[Block] = []
    if device.spec is not None:
        blocks.append(_facts(_spec_rows(device.spec, tr), tr))
    if device.isa is not None:
        own = _architecture_rows(device.isa) if device.is_architecture else ()
        blocks.append(_facts([*own, *_isa_rows(device.isa, tr), *_member_rows(device, tr)], tr))
    if device.family is not None:
        if device.kind is DeviceKind.CPU:
            blocks.append(Paragraph(text=tr(N_("Its graphics part")), style="lead"))
        blocks.append(_facts([*_family_rows(device.family, tr), *_member_rows(device, tr)], tr))
    if device.isa is None and device.family is None and device.members:
        blocks.append(_facts(_member_rows(device, tr), tr))
    # A family of GPUs may be on cards and in processors alike.
    kind = DEVICE_KINDS[device.kind] if device.kind is not DeviceKind.OTHER else N_("GPU")
    title = tr(N_("{name}: {kind}"), name=device.name, kind=tr(kind))
    return Section(title=title, blocks=tuple(blocks))


def _spec_rows(spec: DeviceSpec, tr: Translator) -> Iterable[tuple[str, str | None]]:
    yield N_("Architecture"), spec.architecture
    yield N_("Year"), None if spec.year is None else str(spec.year)
    cores = UNKNOWN if spec.cores is None else str(spec.cores)
    threads = UNKNOWN if spec.threads is None else str(spec.threads)
    if spec.kind is DeviceKind.CPU:
        yield N_("Cores"), tr(N_("{cores} cores, {threads} threads"), cores=cores, threads=threads)
    if spec.base_ghz is not None and spec.boost_ghz is not None:
        base, boost = format_number(spec.base_ghz), format_number(spec.boost_ghz)
        yield N_("Clock"), tr(N_("{base} GHz, up to {boost} GHz"), base=base, boost=boost)
    peaks = (
        ("float32", spec.peak_fp32_flop_per_s, "flop/s"),
        ("float16", spec.peak_fp16_flop_per_s, "flop/s"),
        ("bfloat16", spec.peak_bf16_flop_per_s, "flop/s"),
        ("int8", spec.peak_int8_op_per_s, "op/s"),
    )
    known = [f"{name} {format_rate(peak, unit)}" for name, peak, unit in peaks if peak is not None]
    yield N_("Peak by data sheet"), ", ".join(known)
    if spec.memory_bandwidth_byte_per_s is not None:
        yield N_("Memory bandwidth"), format_rate(spec.memory_bandwidth_byte_per_s, "B/s")
    if spec.memory_bytes is not None:
        yield N_("Memory"), format_bytes(spec.memory_bytes)
    if spec.tdp_w is not None:
        yield NP_("electric", "Power"), f"{format_number(spec.tdp_w)} W"
    yield N_("Source"), said_list(spec.source, tr)


def _member_rows(device: DeviceFacts, tr: Translator) -> Iterable[tuple[str, str | None]]:
    told = list(device.members[:_MOST_MEMBERS])
    if len(device.members) > len(told):
        told.append(tr(N_("and {n} more"), n=len(device.members) - len(told)))
    yield N_("Devices"), tr(N_(", ")).join(told)


def _architecture_rows(isa: CpuIsaRow) -> Iterable[tuple[str, str | None]]:
    yield N_("Years"), isa.years
    yield N_("Examples"), isa.examples
    if isa.fp32_flop_per_cycle_per_core is not None:
        per_cycle = format_number(isa.fp32_flop_per_cycle_per_core)
        yield N_("float32 operations per cycle and core"), per_cycle


def _isa_rows(isa: CpuIsaRow, tr: Translator) -> Iterable[tuple[str, str | None]]:
    yield N_("Instructions"), said(isa.simd, tr)
    yield N_("TensorFlow's ready-made build"), said(isa.tensorflow_wheel_runs or "", tr)
    yield N_("bfloat16"), said(isa.bf16_advice or "", tr)
    yield N_("int8"), said(isa.int8_advice or "", tr)
    yield N_("Remark"), said(isa.note or "", tr)


def _family_rows(family: GpuFamily, tr: Translator) -> Iterable[tuple[str, str | None]]:
    yield N_("Family"), f"{said(family.architecture, tr)} ({family.examples})"
    cells = (
        (N_("Training on Linux"), family.linux_training, family.linux_training_route),
        (N_("Inference on Linux"), family.linux_inference, family.linux_inference_route),
        (N_("Training on Windows"), family.windows_training, family.windows_training_route),
        (N_("Inference on Windows"), family.windows_inference, family.windows_inference_route),
        (N_("Training on macOS"), family.macos_training, family.macos_training_route),
        (N_("Inference on macOS"), family.macos_inference, family.macos_inference_route),
    )
    for label, level, route in cells:
        if level is None:
            continue
        words = _LEVELS.get(level)
        text = tr(words) if words else level
        yield label, f"{text}: {said(route, tr)}" if route else text
    yield N_("OpenCL on Linux"), said(family.opencl_linux or "", tr)
    yield N_("Advice"), said(family.advice, tr)
    yield N_("Caveats"), said(family.caveats or "", tr)


def _here_section(explanation: Explanation, tr: Translator) -> Section:
    blocks: list[Block] = []
    if explanation.job is not None and explanation.job.first is not None:
        blocks.append(Paragraph(text=_first_text(explanation.job, explanation.job.first, tr)))
    for phase in Phase:
        routes = [route for route in explanation.routes if route.phase is phase]
        if not routes:
            continue
        first = next((route for route in routes if route.is_first), routes[0])
        text = tr(N_("For {phase}: {device}."), phase=tr(PHASES[phase]), device=_take(first, tr))
        blocks.append(Paragraph(text=text, style="lead"))
        blocks.append(Facts(rows=tuple((route.device, _route_text(route, tr)) for route in routes)))
    return Section(title=tr(N_("What to take on this machine")), blocks=tuple(blocks))


def _first_text(job: AdvisedJob, first: str, tr: Translator) -> str:
    if job.first_here is None or job.first_here == first:
        return tr(N_("First in your advice: {first}."), first=said_title(first, tr))
    return tr(
        N_("First in your advice: {first}; on this machine: {here}."),
        first=said_title(first, tr),
        here=said_title(job.first_here, tr),
    )


def _name(route: Route, tr: Translator) -> str:
    return tr(N_("Processor")) if route.kind is DeviceKind.CPU else route.device


def _take(route: Route, tr: Translator) -> str:
    if route.kind is DeviceKind.CPU:
        name = tr(N_("the processor, {device}"), device=route.device)
    else:
        name = route.device
    titles = (said_title(title, tr) for title in route.option_titles[:_MOST_TITLES])
    way = said(route.way or "", tr) or tr(N_("; ")).join(titles)
    if not way and route.kind is DeviceKind.CPU:
        way = tr(N_("the ready-made build of the framework that you have"))
    return tr(N_("{name}: {way}"), name=name, way=way) if way else name


def _route_text(route: Route, tr: Translator) -> str:
    parts = []
    words = _LEVELS.get(route.level or "")
    if words is not None and route.kind is not DeviceKind.CPU:
        parts.append(tr(words))
    if route.way:
        parts.append(said(route.way, tr))
    parts += [said_title(title, tr) for title in route.option_titles[:_MOST_TITLES]]
    parts += [reason_text(reason, tr) for reason in route.against]
    if route.why_not:
        parts.append(said(route.why_not, tr))
    if route.advice and not route.is_first:
        parts.append(tr(N_("advice: {advice}"), advice=said(route.advice, tr)))
    return tr(N_("; ")).join(parts) or tr(N_("as it is"))
