"""The app's winner against the long measurement: regret, time, verdicts, loss check."""

from advisor.model.codec import load_document
from advisor.model.trial import TrialReport, TrialResult, TrialVerdict
from advisor.trial.judge import ahead_of, judge_all
from tests.trial_proof.jobs import Proof, measured_file, read_measured, write_json
from tests.trial_proof.tries import read_times, try_file

MOST_REGRET = 0.03
MOST_S = 120.0
_CLEAR = 1.05
_SAID = {
    "xla": TrialVerdict.SLOWER,
    "backend-jax": TrialVerdict.SLOWER,
    "bfloat16": TrialVerdict.FASTER,
}


def truth_of(results: tuple[TrialResult, ...]) -> dict[str, float]:
    """Return the speed-up of each setting that computes the same, the state now with 1."""
    out = (TrialVerdict.WRONG_RESULT, TrialVerdict.FAILED)
    found = {results[0].setup.id: 1.0}
    for result in results[1:]:
        if result.speedup is not None and result.verdict not in out:
            found[result.setup.id] = result.speedup.mid
    return found


def regret_of(truth: dict[str, float], chosen: str, *, among: set[str]) -> float | None:
    """Return by how much the best setting is faster than the chosen one, None when unknown.

    Args:
        truth: speed-ups of the long measurement.
        chosen: what the app called best.
        among: settings that the best is looked for in.
    """
    if chosen not in truth:
        return None
    return max(value for name, value in truth.items() if name in among) / truth[chosen] - 1.0


def compare(proof: Proof) -> int:
    """Print the comparison of each network; return 1 when one does not hold."""
    rows = []
    for network in proof.networks:
        measured = read_measured(measured_file(proof, network))
        path = try_file(proof, network)
        if measured is None or not path.exists():
            print(f"{network:20} has no measurement or no try: run measure-all and try first")
            return 1
        truth = truth_of(judge_all(measured.setups, measured.runs))
        report = load_document(path.read_text(encoding="utf-8"), TrialReport)
        rows.append(_compared(network, truth, report, read_times(proof).get(network)))
    write_json(proof.out / "compare.json", rows)
    for row in rows:
        print(row["text"])
    return int(not all(row["holds"] for row in rows))


def _compared(
    network: str, truth: dict[str, float], report: TrialReport, spent_s: float | None
) -> dict[str, object]:
    ahead = ahead_of(report)
    named = ahead or report.best or report.results[0]
    chosen = named.setup.id
    same_batch = {name for name in truth if not name.startswith("batch-")}
    regret = regret_of(truth, chosen, among=same_batch | {chosen})
    best = max(same_batch, key=lambda name: truth[name])
    holds = regret is not None and regret <= MOST_REGRET
    holds = holds and spent_s is not None and spent_s < MOST_S
    shown = "not measured" if regret is None else f"{100 * regret:.1f} %"
    took = "no time" if spent_s is None else f"{spent_s:.0f} s"
    how = " (not proven)" if ahead is not None else ""
    lines = [
        f"{network:20} app: {chosen}{how}; best: {best} ({truth[best]:.3f}); regret {shown}; {took}"
    ]
    for result in report.results:
        wanted = _SAID.get(result.setup.id)
        if wanted is not None:
            lines.append(_verdict_line(result, truth))
            is_asked = result.setup.id == "bfloat16" or network.endswith("cnn")
            is_asked = is_asked and bears_out(truth.get(result.setup.id), wanted)
            holds = holds and (result.verdict is wanted or not is_asked)
    return {"network": network, "chosen": chosen, "best": best, "regret": regret,
            "seconds": spent_s, "holds": holds, "text": "\n".join(lines)}  # fmt: skip


def bears_out(true: float | None, wanted: TrialVerdict) -> bool:
    """Return whether the long measurement says so too: a processor may gain nothing by a format."""
    if true is None:
        return True
    return true > _CLEAR if wanted is TrialVerdict.FASTER else true < 1.0 / _CLEAR


def _verdict_line(result: TrialResult, truth: dict[str, float]) -> str:
    own, then = result.check_value, result.baseline_check_value
    loss = "no loss" if own is None or then is None else f"loss {own:.4f} ({then:.4f} as it is now)"
    speed = "-" if result.speedup is None else f"{result.speedup.mid:.3f}"
    true = truth.get(result.setup.id)
    measured = "-" if true is None else f"{true:.3f}"
    return (
        f"    {result.setup.id:16} {result.verdict.value:14} {speed} (measured long: {measured}); "
        f"{loss}"
    )
