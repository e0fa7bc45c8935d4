"""Every kind of fault, planted alone, is told in exactly one line that names its place."""

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from advisor.knowledge.pack import pack_tables
from advisor.knowledge.validate import validate
from tests.advisor.knowledge.small_dataset import SCHEMAS, set_cells, swap, write_small_dataset

TODAY = dt.date(2026, 12, 1)

FINDINGS = "findings/findings.csv"
DEVICES = "devices/specs.csv"
HKBU = "published/hkbu.csv"
STREAM = "published/babelstream.csv"
OPTIONS = "options/options.csv"
OFFERS = "offers/offers.csv"
BANDS = "offers/spot_bands.csv"
RULES = "offers/billing_rules.csv"
GONE = "offers/retirements.csv"
FAMILIES = "hardware/gpu_families.csv"
NETWORKS = "networks/networks.csv"

# Far from the names, ids and figures of real rows.
NETWORK_ROW = (
    "babelstream-9998,babelstream,,inference,resnet50,64,float32,X,1,,,NVIDIA GeForce GTX 980,dgpu,"
    ",,throughput,1000000,1/s,,4089184256,comparable,s,"
)
PEAK_ROW = (
    "babelstream-9999,babelstream,,kernel,stream triad,,,,,,,NVIDIA GeForce GTX 980,dgpu,,,"
    "bandwidth,900000000000,B/s,,,comparable,s,"
)


def add(line: str) -> Callable[[str], str]:
    return lambda text: f"{text}{line}\n"


def again(line: int, **cells: str) -> Callable[[str], str]:
    """Repeat a line at the end, with other cells."""

    def change(text: str) -> str:
        count = text.count("\n")
        return set_cells(count + 1, **cells)(f"{text}{text.split(chr(10))[line - 1]}\n")

    return change


def first_lines(count: int) -> Callable[[str], str]:
    return lambda text: "".join(text.splitlines(keepends=True)[:count])


def swap_columns(text: str) -> str:
    """Exchange the first two columns of a table whose first two cells hold no comma."""
    lines = [line.split(",", 2) for line in text.splitlines()]
    return "".join(f"{second},{first},{rest}\n" for first, second, rest in lines)


def with_line(number: int, change: Callable[[str], str]) -> Callable[[str], str]:
    def edited(text: str) -> str:
        lines = text.split("\n")
        lines[number - 1] = change(lines[number - 1])
        return "\n".join(lines)

    return edited


@dataclass(frozen=True)
class Planted:
    """A fault: the file, the change of its text, and the beginning of the one line expected."""

    name: str
    file: str
    change: Callable[[str], str]
    expected: str


# fmt: off
FORM = (
    Planted("bad number", HKBU, set_cells(2, value="fast"),
            f"{HKBU}:2: value: 'fast': not a number"),
    Planted("not a number", HKBU, set_cells(2, value="nan"),
            f"{HKBU}:2: value: 'nan': not a number"),
    Planted("infinity", HKBU, set_cells(2, value="inf"),
            f"{HKBU}:2: value: 'inf': not a number"),
    Planted("fraction of a whole", HKBU, set_cells(2, threads="1.5"),
            f"{HKBU}:2: threads: '1.5': not a whole number"),
    Planted("unknown word of an enum", DEVICES, set_cells(4, kind="apu"),
            f"{DEVICES}:4: kind: 'apu': not one of cpu, igpu, dgpu, npu, other"),
    Planted("word that only the schema knows", FINDINGS, set_cells(2, verdict="MAYBE"),
            f"{FINDINGS}:2: verdict: 'MAYBE': 'MAYBE' is not one of"),
    Planted("unknown status", GONE, set_cells(3, status="gone"),
            f"{GONE}:3: status: 'gone': 'gone' is not one of"),
    Planted("truth in other words", "offers/storage_prices.csv",
            set_cells(2, is_billed_in_doublings="no"),
            "offers/storage_prices.csv:2: is_billed_in_doublings: 'no': neither true nor false"),
    Planted("missing source", OFFERS, set_cells(2, source=""),
            f"{OFFERS}:2: source: '': must not be empty"),
    Planted("option without source", OPTIONS, set_cells(3, source=""),
            f"{OPTIONS}:3: source: '': must not be empty"),
    Planted("cell too few", RULES, with_line(3, lambda line: line.rpartition(",")[0]),
            f"{RULES}:3: 4 cells where the header has 5"),
    Planted("open quote", RULES, add('x,"'), f"{RULES}:7: unexpected end of data"),
    Planted("space at the end", RULES, set_cells(3, source="somewhere "),
            f"{RULES}:3: source: 'somewhere ': has spaces around it"),
    Planted("number in other form", RULES, set_cells(3, increment_s="1.0"),
            f"{RULES}:3: not in canonical form, expected: azure,1,60,"),
    Planted("needless quotes", RULES, swap("\naws,1,", '\n"aws",1,'),
            f"{RULES}:2: not in canonical form, expected: aws,1,"),
    Planted("blank line", RULES, swap("\naws,", "\n\naws,"),
            f"{RULES}:2: not in canonical form, expected: aws,"),
    Planted("columns in other order", BANDS, swap_columns,
            f"{BANDS}:1: not in canonical form, expected: vendor,instance_type,"),
    Planted("byte order mark", FINDINGS, lambda text: "\ufeff" + text,
            f"{FINDINGS}:1: not in canonical form"),
    Planted("line ends of Windows", FINDINGS, lambda text: text.replace("\n", "\r\n"),
            f"{FINDINGS}:1: not in canonical form"),
    Planted("no line end at the end", FINDINGS, lambda text: text.rstrip("\n"),
            f"{FINDINGS}:7: not in canonical form"),
    Planted("extra column", DEVICES, with_line(1, lambda line: line + ",colour"),
            f"{DEVICES}:1: 'colour' is not a column of DeviceSpec"),
    Planted("missing column", DEVICES, with_line(1, lambda line: line.replace(",vendor", "")),
            f"{DEVICES}:1: column 'vendor' of DeviceSpec is missing"),
    Planted("column twice", RULES, with_line(1, lambda line: line + ",note"),
            f"{RULES}:1: a column stands twice"),
    Planted("empty table", DEVICES, first_lines(1), f"{DEVICES}:1: the table is missing or empty"),
    Planted("empty file", OFFERS, lambda _text: "",
            f"{OFFERS}:1: the file is empty, it needs a header row"),
)

BOUNDS = (
    Planted("negative price", OFFERS, set_cells(2, usd_per_hour="-1.08"),
            f"{OFFERS}:2: usd_per_hour: '-1.08': -1.08 is less than or equal to the minimum of 0"),
    Planted("negative billing increment", RULES, set_cells(2, increment_s="-60"),
            f"{RULES}:2: increment_s: '-60.0': -60.0 is less than or equal to the minimum of 0"),
    Planted("absurd clock", DEVICES, set_cells(3, boost_ghz="4000"),
            f"{DEVICES}:3: boost_ghz: '4000.0': 4000.0 is greater than the maximum of 7"),
    Planted("absurd bandwidth", DEVICES,
            set_cells(3, memory_bandwidth_byte_per_s="34000000000000000"),
            f"{DEVICES}:3: memory_bandwidth_byte_per_s: '3.4e+16': 3.4e+16 is greater than"),
    Planted("bandwidth of the wrong prefix", DEVICES,
            set_cells(3, memory_bandwidth_byte_per_s="340000000"),
            f"{DEVICES}:3: memory_bandwidth_byte_per_s: '340000000.0': 376 flop for each byte"),
    Planted("year of the future", HKBU, set_cells(2, year="2027"),
            f"{HKBU}:2: year: '2027': lies after 2026-12-01"),
    Planted("date of the future", OFFERS, set_cells(2, observed_on="2026-12-02"),
            f"{OFFERS}:2: observed_on: '2026-12-02': lies after 2026-12-01"),
    Planted("date that is none", OFFERS, set_cells(2, observed_on="2026-02-30"),
            f"{OFFERS}:2: observed_on: '2026-02-30': not an ISO date"),
)

SENSE = (
    Planted("spot above on demand", OFFERS,
            set_cells(2, spot_usd_per_hour="1.5", spot_observed_on="2026-05-24", spot_source="s"),
            f"{OFFERS}:2: spot_usd_per_hour: '1.5': above the price on demand, 1.08"),
    Planted("spot price without a date", OFFERS,
            set_cells(2, spot_usd_per_hour="0.5", spot_source="s"),
            f"{OFFERS}:2: spot_observed_on: 'None': a spot price needs it"),
    Planted("offer without a price", OFFERS, set_cells(2, usd_per_hour=""),
            f"{OFFERS}:2: usd_per_hour: 'None': an offer needs a price"),
    Planted("accelerator without a number", OFFERS, set_cells(2, n_accelerators=""),
            f"{OFFERS}:2: n_accelerators: 'None': goes with an accelerator"),
    Planted("spot band upside down", BANDS, set_cells(2, low_percent="20", high_percent="10"),
            f"{BANDS}:2: high_percent: '10.0': below low_percent = 20.0"),
    Planted("unit of another metric", STREAM, set_cells(2, unit="s"),
            f"{STREAM}:2: unit: 's': bandwidth is given in B/s"),
    Planted("rate above the peak without a note", STREAM, add(PEAK_ROW),
            f"{STREAM}:36: value: '900000000000.0': above the peak 2.244e+11 of the device"),
    Planted("rate far above the peak with a note about something else", STREAM,
            add(f"{PEAK_ROW.rstrip()}version 2.0"),
            f"{STREAM}:36: value: '900000000000.0': above the peak 2.244e+11 of the device"),
    Planted("network faster than its multiply-adds allow", STREAM, add(NETWORK_ROW),
            f"{STREAM}:36: value: '1000000.0': above the peak 4.981e+12 of the device"),
    Planted("effect upside down", OPTIONS, set_cells(3, effect_low="9", effect_high="2"),
            f"{OPTIONS}:3: effect_high: '2.0': below effect_low = 9.0"),
    Planted("factor without a source", OPTIONS, set_cells(3, effect_source=""),
            f"{OPTIONS}:3: effect_source: 'None': a factor needs a source"),
    Planted("undecidable condition", OPTIONS, set_cells(3, excluded_when="moon:full"),
            f"{OPTIONS}:3: excluded_when: \"('moon:full',)\": 'moon:full' is not a condition"),
    Planted("pattern that is none", GONE, set_cells(3, instance_pattern="Standard_NC("),
            f"{GONE}:3: instance_pattern: 'Standard_NC(': not a regular expression"),
    Planted("pattern that matches everything", GONE, set_cells(3, instance_pattern=".*"),
            f"{GONE}:3: instance_pattern: '.*': matches every name"),
    Planted("ids that end before they begin", FAMILIES, set_cells(4, pci_device_ids="130f-1304"),
            f"{FAMILIES}:4: pci_device_ids: \"('130f-1304',)\": '130f-1304' ends before it begins"),
)

REFERENCES = (
    Planted("duplicate key", FINDINGS, again(2),
            f"{FINDINGS}:7: id: 'S0-1': id=S0-1 stands in {FINDINGS}:2 already"),
    Planted("dangling study", FINDINGS, set_cells(2, study="so-2017"),
            f"{FINDINGS}:2: study: 'so-2017': has no heading in SOURCES.md"),
    Planted("dangling device of a result", HKBU, set_cells(2, device="Intel Xeon E5-2630 v5"),
            f"{HKBU}:2: device: 'Intel Xeon E5-2630 v5': neither specified nor in"),
    Planted("needless excuse", "devices/unresolved.csv", add("AMD A10-7850K,cpu"),
            "devices/unresolved.csv:7: device: 'AMD A10-7850K': has a specification now"),
    Planted("unused excuse", "devices/unresolved.csv", add("Unknown thing,cpu"),
            "devices/unresolved.csv:7: device: 'Unknown thing': no published row names it"),
    Planted("dangling device of an accelerator", "offers/accelerators.csv",
            set_cells(2, device="NVIDIA A10 SXM"),
            "offers/accelerators.csv:2: device: 'NVIDIA A10 SXM': has no specification"),
    Planted("offer of an unknown accelerator", OFFERS, set_cells(2, accelerator="A1000"),
            f"{OFFERS}:2: accelerator: 'A1000': is not in offers/accelerators.csv"),
    Planted("band without an offer", BANDS, set_cells(2, instance_type="g4dn.3xlarge"),
            f"{BANDS}:2: instance_type: 'g4dn.3xlarge': no offer is of this type and region"),
    Planted("retirement of nobody's series", GONE, set_cells(3, vendor="azzure"),
            f"{GONE}:3: vendor: 'azzure': no offer is of this vendor"),
    Planted("alias of two devices", DEVICES, set_cells(2, aliases="amd a10-7850k apu"),
            f"{DEVICES}:3: aliases: \"('a10-7850k', 'amd a10-7850k apu')\": 'amd "),
    Planted("alias of two networks", NETWORKS, set_cells(2, aliases="mlp"),
            f"{NETWORKS}:3: aliases: \"('mnist_mlp', 'mlp')\": 'mlp' is {NETWORKS}:2 already"),
    Planted("ids of two families", FAMILIES,
            set_cells(2, pci_device_ids="1310-1312"),
            f"{FAMILIES}:4: pci_device_ids: "),
    Planted("parameters that the network has not", NETWORKS, set_cells(3, parameters="669707"),
            f"{NETWORKS}:3: parameters: '669707': the configuration has 669706"),
    Planted("multiply-adds that the network has not", NETWORKS,
            set_cells(3, multiply_adds_per_sample="1"),
            f"{NETWORKS}:3: multiply_adds_per_sample: '1': the configuration has 668672"),
    Planted("network without a configuration", NETWORKS, again(3, name="lenet", aliases=""),
            f"{NETWORKS}:5: name: 'lenet': its configuration cannot be read"),
    Planted("configuration that is none", "networks/mnist-mlp.json", lambda _text: "{}",
            f"{NETWORKS}:3: name: 'mnist-mlp': its configuration cannot be read"),
)
# fmt: on


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_dataset(tmp_path_factory.mktemp("faults") / "data")


@pytest.fixture
def plant(dataset: Path) -> Iterator[Callable[[str, Callable[[str], str]], None]]:
    """Yield what changes a file of the dataset; afterwards the file is as it was."""
    kept: dict[Path, bytes] = {}

    def change_file(path: str, change: Callable[[str], str]) -> None:
        file = dataset / path
        kept[file] = file.read_bytes()
        changed = change(kept[file].decode("utf-8")).encode("utf-8")
        assert changed != kept[file], "the edit did nothing"
        file.write_bytes(changed)

    yield change_file
    for file, content in kept.items():
        file.write_bytes(content)


def faults_of(data: Path) -> list[str]:
    return [str(fault) for fault in validate(data, schemas=SCHEMAS, today=TODAY)]


def test_without_a_fault_nothing_is_told(dataset: Path) -> None:
    assert faults_of(dataset) == []


@pytest.mark.parametrize(
    "fault", [*FORM, *BOUNDS, *SENSE, *REFERENCES], ids=lambda fault: fault.name
)
def test_one_fault_is_one_line(dataset: Path, plant, fault: Planted) -> None:
    plant(fault.file, fault.change)
    found = faults_of(dataset)
    assert [line[: len(fault.expected)] for line in found] == [fault.expected], found


def test_two_faults_are_two_lines(dataset: Path, plant) -> None:
    plant(RULES, set_cells(2, increment_s="-60"))
    plant(FINDINGS, set_cells(2, verdict="MAYBE"))
    assert len(faults_of(dataset)) == 2


def test_a_copy_of_an_older_text_is_told(tmp_path: Path) -> None:
    data = write_small_dataset(tmp_path / "data")
    assert pack_tables(data) == ("published", "offers")
    assert faults_of(data) == []
    file = data / OFFERS
    file.write_text(set_cells(2, usd_per_hour="1.09")(file.read_text()), newline="")
    assert faults_of(data) == [
        "packed/offers.bin:1: not a copy of offers/offers.csv: run python -m advisor.knowledge.pack"
    ]
