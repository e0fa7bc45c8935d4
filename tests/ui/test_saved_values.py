"""Values of files: whose machine measurements are of."""

import argparse
import dataclasses

import pytest

from advisor.errors import InputError
from advisor.model.codec import dump_document
from tests.ui.history_values import measured_advice
from ui.saved_values import saved_values


def asked(tmp_path, *, measurements, profile):
    places = {}
    for name, value in (("measurements", measurements), ("profile", profile)):
        places[name] = tmp_path / f"{name}.json"
        places[name].write_text(dump_document(value), encoding="utf-8")
    return argparse.Namespace(**places)


def test_measurements_alone_count_as_of_the_named_machine_and_say_so(tmp_path, capsys):
    advice = measured_advice(time_s=0.5)
    options = asked(tmp_path, measurements=advice.measurements, profile=advice.profile)
    assert saved_values(options) == (advice.profile, advice.measurements)
    assert "counts as measured on the machine of" in capsys.readouterr().err


def test_what_another_machine_measured_is_refused(tmp_path):
    advice = measured_advice(time_s=0.5)
    cpu = dataclasses.replace(advice.profile.cpu, brand="Apple M3")
    other = dataclasses.replace(advice.profile, cpu=cpu)
    with pytest.raises(InputError, match="not on Apple M3"):
        saved_values(asked(tmp_path, measurements=advice, profile=other))
    assert saved_values(asked(tmp_path, measurements=advice, profile=advice.profile))
