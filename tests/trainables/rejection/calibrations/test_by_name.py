"""Calibrations by their names."""

from __future__ import annotations

import pytest

from trainables.rejection.calibrations import CALIBRATIONS, Isotonic, calibration_named, read_calibration


def test_every_one_is_found_by_its_own_name() -> None:
    assert list(CALIBRATIONS) == ["none", "normalised", "slope", "isotonic"]
    assert all(kind.name == name and calibration_named(name) is kind for name, kind in CALIBRATIONS.items())


@pytest.mark.parametrize("call", [calibration_named, lambda name: read_calibration({"name": name})])
def test_another_name_is_answered_with_those_there_are(call: object) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match="one of none, normalised, slope, isotonic, got 'platt'"):
        call("platt")


def test_a_file_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="got 'None'"):
        read_calibration({"slope": [1.0]})


def test_the_name_says_what_is_read() -> None:
    found = read_calibration({"name": "isotonic", "places": [[0.0, 1.0]], "values": [[-1.0, 1.0]]})
    assert isinstance(found, Isotonic)
