"""A small report with every kind of block."""

import pytest

from advisor.model.report import (
    Bar,
    BarChart,
    Facts,
    Paragraph,
    Point,
    Report,
    ScatterChart,
    Section,
    Table,
)


@pytest.fixture
def every_block() -> Report:
    bars = (
        Bar(label="now", low=90.0, mid=100.0, high=120.0, text="100 s", emphasis="now"),
        Bar(
            label="quick <b>& escaped</b>", low=1.0, mid=2.0, high=3.0, text="2 s", emphasis="best"
        ),
    )
    points = (
        Point(label="here", x=1.0, y=0.0, is_marked=True),
        Point(label="rented", x=0.1, y=3.5),
        Point(label="rented twin", x=0.1, y=3.5),
    )
    return Report(
        title="Title",
        subtitle="A subtitle",
        sections=(
            Section(
                title="First",
                blocks=(
                    Paragraph(text="Lead <not a tag>", style="lead"),
                    Paragraph(text="one\ntwo"),
                    Paragraph(text="export A=1\nexport  B=2", style="code"),
                    Facts(rows=(("Processor", "Some CPU"), ("Memory", "8 GiB"))),
                ),
            ),
            Section(
                title="Second",
                blocks=(
                    Table(
                        heads=("Name", "Value"),
                        rows=tuple((f"row {i}", str(i)) for i in range(60)),
                        right_aligned=(1,),
                        caption="A long table",
                    ),
                    BarChart(title="Bars", axis="seconds", bars=bars, is_log=True),
                    ScatterChart(
                        title="Plane", x_axis="hours", y_axis="USD", points=points, is_log_x=True
                    ),
                ),
            ),
        ),
        footer="The footer",
    )
