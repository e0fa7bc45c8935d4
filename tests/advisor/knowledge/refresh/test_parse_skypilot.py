"""Catalogs in the shapes that were seen, and their oddities."""

import pytest

from advisor.knowledge.refresh.identities import identities
from advisor.knowledge.refresh.parse_skypilot import parse_catalog, parse_gpu_gib
from advisor.knowledge.refresh.sources import SOURCES, PriceError
from advisor.model.offer import AcceleratorName
from tests.advisor.knowledge.refresh.servers import ACCELERATORS, GIB, RECORDED, offer


def gpu(name, region, usd, accelerator, count, gib, **more):
    return offer(
        name, region, usd, more.pop("family", None), 4, accelerator=accelerator,
        n_accelerators=float(count), accelerator_memory_bytes=gib * GIB, **more,
    )  # fmt: skip


GCP = {"vendor": "gcp"}
KNOWN = identities(
    (
        offer("c7i.4xlarge", "us-east-1", 0.714, "c7i", 4),
        offer("c8g.2xlarge", "us-east-1", 0.3, "c8g", 2),
        offer("c3-standard-22", "us-central1", 1.1, "c3", 5, **GCP),
        gpu("a2-highgpu-1g", "us-central1", 3.67, "A100-SXM", 1, 40, family="a2", **GCP),
        gpu("a2-highgpu-2g", "us-central1", 7.35, "A100-SXM", 2, 40, family="a2", **GCP),
        gpu("n1-standard-4+T4x1", "us-central1", 0.54, "T4", 1, 16, family="n1", **GCP),
        gpu("g2-x", "us-east-1", 1.0, "L4", 1, 24),
        gpu("g2-share", "us-east-1", 1.0, "L4", 0.5, 12),
        gpu("80", "any", 1.0, "A100", 1, 80, vendor="x"),
        gpu("40", "any", 1.0, "A100", 1, 40, vendor="x"),
        gpu("h", "any", 1.0, "H100", 1, 80, vendor="x"),
        gpu("a6000", "any", 1.0, "RTX-A6000", 1, 48, vendor="x"),
    ),
    (*ACCELERATORS, AcceleratorName(accelerator="H100", memory_bytes=None, device=None, note=None)),
)


def parse(vendor, *, text=None, regions=()):
    source = SOURCES[vendor]
    return parse_catalog(
        text if text is not None else (RECORDED / f"{source.catalog}_vms.csv").read_text(),
        source=source, known=KNOWN, regions=regions, observed_on="2026-11-21",
        source_key="skypilot-catalog-v8",
    )  # fmt: skip


def by_name(prices):
    return {(row.instance_type, row.region): row for row in prices.offers}


def test_known_types_keep_what_is_known_of_them():
    prices = parse("aws", regions=("us-east-1",))
    row = by_name(prices)["c7i.4xlarge", "us-east-1"]
    assert (row.family, row.architecture, row.vcpus) == ("c7i", "x86_64", 16.0)
    assert (row.usd_per_hour, row.spot_usd_per_hour) == (0.714, 0.3012)
    assert prices.n_listed == 10
    assert (prices.n_impossible, prices.n_spot_above) == (0, 0)


def test_new_sizes_of_known_families_come_in_and_unknown_machines_do_not():
    found = by_name(parse("aws"))
    row = found["c7i.12xlarge", "us-east-1"]
    assert (row.vcpus, row.memory_bytes, row.architecture) == (48.0, 96 * GIB, "x86_64")
    assert (row.spot_usd_per_hour, row.spot_observed_on, row.spot_source) == (None, None, None)
    names = {name for name, _ in found}
    assert not names & {"a1.2xlarge", "q9.large"}


def test_spot_at_the_on_demand_price_is_no_spot_price():
    assert by_name(parse("aws"))["c8g.4xlarge", "us-east-1"].spot_usd_per_hour is None


def test_reported_memory_chooses_the_nominal_size():
    row = by_name(parse("aws"))["g6.xlarge", "us-east-1"]
    assert (row.accelerator, row.n_accelerators) == ("L4", 1.0)
    assert row.accelerator_memory_bytes == 24 * GIB


def test_google_machines_cost_what_they_cost_with_their_gpus():
    found = by_name(parse("gcp"))
    one, two = (found[f"a2-highgpu-{n}g", "us-central1"] for n in (1, 2))
    assert one.usd_per_hour == pytest.approx(0.73948 + 2.933908)
    assert one.spot_usd_per_hour == pytest.approx(0.29576 + 1.57)
    assert two.usd_per_hour == pytest.approx(1.47895 + 2 * 2.933908)
    chosen = found["n1-standard-4+T4x1", "us-central1"]
    assert chosen.usd_per_hour == pytest.approx(0.189999 + 0.35)


def test_google_machines_without_a_known_gpu_price_are_left_out():
    names = set(by_name(parse("gcp")))
    assert ("a2-highgpu-1g", "us-west4") not in names
    assert not {name for name, _ in names} & {"a3-edgegpu-8g", "n1-standard-4", ""}


def test_google_machines_with_local_disks_are_left_out():
    names = {name for name, _ in by_name(parse("gcp"))}
    assert "c3-standard-44" in names
    assert "c3-standard-22-lssd" not in names


def test_clusters_of_accelerators_are_not_impossible_machines():
    assert parse("gcp").n_impossible == 0


def test_gpu_clouds():
    found = {row.instance_type: row for row in parse("runpod").offers}
    row = found["1x_A100-80GB_SECURE"]
    assert (row.accelerator, row.accelerator_memory_bytes) == ("A100", 80 * GIB)
    assert (row.usd_per_hour, row.spot_usd_per_hour) == (1.39, None)
    assert found["1x_A100-80GB-SXM_SECURE"].accelerator == "A100-SXM"
    assert found["1x_RTXA6000_SECURE"].accelerator_memory_bytes == 48 * GIB
    assert found["1x_RTXA6000_SECURE"].spot_usd_per_hour == 0.33
    assert "1x_MYSTERY_SECURE" not in found


def test_memory_of_the_machine_is_not_taken_for_that_of_the_gpu():
    (row,) = parse("nebius").offers
    assert row.accelerator_memory_bytes == 80 * GIB
    assert row.memory_bytes == 200 * GIB


@pytest.mark.parametrize(
    ("text", "gib"),
    [
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': 49152}}]}", 48.0),
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': 80}}]}", 80.0),
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': '16384'}}]}", 16.0),
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': 0}}]}", None),
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': 1e999}}]}", None),
        ("{'Gpus': [{'MemoryInfo': {'SizeInMiB': None}}]}", None),
        ("{'Gpus': []}", None),
        ("{'Gpus': [", None),
        ("{__import__('os').getcwd()}", None),
        ("{" * 1500, None),
        ("{'a': " * 300 + "1", None),
        ("A100-80GB", None),
        ("", None),
    ],
)
def test_gpu_info(text, gib):
    assert parse_gpu_gib(text) == gib


HEAD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n"


@pytest.mark.parametrize("usd", ["0", "0.0", "-1", "nan", "inf", "-inf", "1000", "1e9", "free"])
def test_impossible_prices_are_counted_and_unknown(usd):
    prices = parse("aws", text=f"{HEAD}c7i.4xlarge,,,16,32,{usd},0.3,us-east-1\n")
    assert prices.n_impossible == 1
    assert [row.usd_per_hour for row in prices.offers] == [None]


def test_row_without_any_price_is_left_out():
    assert parse("aws", text=f"{HEAD}c7i.4xlarge,,,16,32,,,us-east-1\n").offers == ()


@pytest.mark.parametrize("text", ["", "\n", "<html>", "\ufeff <!DOCTYPE", '{"a": 1}', "a,b\n1,2\n"])
def test_other_files_are_refused(text):
    with pytest.raises(PriceError):
        parse("aws", text=text)


@pytest.mark.parametrize(
    ("name", "region"),
    [
        ("c7i.$(reboot)", "us-east-1"),
        ("c7i.4xlarge; reboot", "us-east-1"),
        ("c7i.`id`", "us-east-1"),
        ("--profile=x", "us-east-1"),
        ("c7i." + "4" * 200, "us-east-1"),
        ("c7i.4xlarge", "us-east-1; reboot"),
        ("c7i.4xlarge", "us\u202eeast-1"),
        ("c7i.4xlarge", ""),
    ],
)
def test_names_that_do_not_belong_in_a_command_are_left_out(name, region):
    text = f"{HEAD}{name},,,16,32,0.714,0.3,{region}\n"
    assert parse("aws", text=text).offers == ()


def test_regions_of_words_are_kept():
    text = f'{HEAD}1x_A100,A100-80GB,1,8,64,1.5,," Sweden, SE "\n'
    assert [row.region for row in parse("vast-ai", text=text).offers] == ["Sweden, SE"]
