"""Conditions under which numbers compare."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from explorer.errors import UserError
from explorer.measure import MeasureSettings, all_metrics, with_classifier
from explorer.measure.inputs import outline_set
from explorer.transfer.alike import check_alike, conditions, described, digest


def test_an_extractor_of_a_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    images = np.zeros((4, 8, 8, 3), dtype=np.uint8)
    np.save(tmp_path / "a.npy", images)
    weights = tmp_path / "w.pt"
    weights.write_bytes(b"one")
    side = outline_set(tmp_path / "a.npy")
    told = [conditions(side, [side], f"inception={weights}", MeasureSettings())]
    moved = weights.rename(tmp_path / "v.pt")
    told.append(conditions(side, [side], f"inception={moved}", MeasureSettings()))
    moved.write_bytes(b"two")
    told.append(conditions(side, [side], f"inception={moved}", MeasureSettings()))
    assert told[0] == told[1] != told[2]
    assert str(tmp_path) not in json.dumps(told)
    assert conditions(side, [side], None, MeasureSettings())["features"] == "inception"
    assert described(side, told[0]).startswith(
        "Samples of other models, measured against a.npy (4 samples), 4 of each"
    )


def test_a_set_is_known_by_its_bytes(tmp_path: Path) -> None:
    for name, fill in (("a", 0), ("b", 0), ("c", 1)):
        np.save(tmp_path / f"{name}.npy", np.full((4, 2), fill))
    a, b, c = (digest(outline_set(tmp_path / f"{name}.npy")) for name in "abc")
    assert a == b != c


@pytest.mark.parametrize("told", [None, "no JSON", "[]", '{"k": 4}'])
def test_a_sweep_that_tells_other_conditions_or_none_is_refused(told: str | None) -> None:
    with pytest.raises(UserError, match="must be measured alike, with k "):
        check_alike(told, {"k": 3}, "mine")
    check_alike('{"k": 3}', {"k": 3}, "mine")


def test_sets_of_another_classifier_do_not_compare_whichever_came_first(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((40, 2)))
    side = outline_set(tmp_path / "a.npy")
    default, mlp = (
        conditions(side, [side], None, MeasureSettings(metrics=with_classifier(all_metrics(), name)))
        for name in ("ensemble", "mlp")
    )
    assert "fields of metrics" not in default  # as it was told before there was a choice
    for first, second in ((default, mlp), (mlp, default)):
        check_alike(json.dumps(first), first, "mine")
        with pytest.raises(UserError, match=r"fields of metrics .*left open.*; measure these the same way"):
            check_alike(json.dumps(first), second, "mine")
