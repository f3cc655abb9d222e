"""Metrics of two arrays: what is asked for and no more, with intervals; what cannot be had is null, or refused."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
import torch

from explorer.errors import UserError
from explorer.measure import MeasureSettings, all_metrics, metric_words
from explorer.measure.extraction import StoredReference
from explorer.measure.report import Measurement, check_metrics, measure_features
from tests.explorer.measure.fast import FAST
from trainables.features import ReferenceStore
from trainables.metrics import Entry, Metric, Scores
from trainables.metrics.pair import Pair

GENERATOR = torch.Generator().manual_seed(0)
REAL, FAKE = torch.randn(80, 3, generator=GENERATOR), torch.randn(70, 3, generator=GENERATOR) * 0.7


def measured(folder: Path, settings: MeasureSettings, logits: torch.Tensor | None = None) -> Measurement:
    reference = StoredReference(ReferenceStore(folder), "data", "none", len(REAL))
    return measure_features(REAL, FAKE, logits, settings, reference, lambda text: None)


def test_all_that_can_be_had_is_measured_and_the_rest_is_null_with_its_reason(tmp_path: Path) -> None:
    found = measured(tmp_path, FAST)
    assert set(found.values) == set(metric_words(all_metrics()))
    assert (
        [word for word, value in found.values.items() if value is None]
        == list(found.left_out)
        == ["class_coverage", "class_entropy", "class_distance", "inception_score"]
    )
    assert "logits" in found.left_out["inception_score"]
    assert set(found.curves) == {"prd", "classifier"}
    assert set(found.frontiers) == {"frontier.inclusive", "frontier.exclusive"}
    assert found.counts is not None


def test_only_what_is_asked_for_is_given(tmp_path: Path) -> None:
    found = measured(tmp_path, replace(FAST, words=("recall", "prd")))
    assert list(found.values) == ["recall", "prd"]
    assert set(found.values["prd"]) == {"f8", "f1_8", "auc"}
    low, high = found.values["recall"]["ci"]
    assert low <= found.values["recall"]["value"] <= high
    assert measured(tmp_path, replace(FAST, words=("fid",))).counts is None


def test_what_is_asked_for_by_name_and_cannot_be_had_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"needs class logits.*; use images with an extractor that has them"):
        measured(tmp_path, replace(FAST, words=("inception_score",)))
    logits = torch.randn(70, 4, generator=torch.Generator().manual_seed(1))
    assert (
        measured(tmp_path, replace(FAST, words=("inception_score",)), logits).values["inception_score"][
            "value"
        ]
        > 1
    )


def test_too_few_samples_for_so_many_neighbours_are_told(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"k=30 needs more than 90 samples on both sides \(pr_cover looks at more"
    ):
        measured(tmp_path, replace(FAST, k=30))
    with pytest.raises(
        UserError, match=r"k=70 needs more than 70 samples on both sides, got 80 real and 70 fake"
    ):
        measured(tmp_path, replace(FAST, k=70, words=("precision",)))
    measured(tmp_path, replace(FAST, k=70, words=("fid",)))


@pytest.mark.parametrize(
    ("dtype", "value", "told"),
    [
        (torch.float64, 1e155, "computed of them overflows float64, got 1.0e\\+155; rescale"),
        (torch.float32, 1e19, "computed of them overflows float32, got 1.0e\\+19; rescale"),
    ],
)
def test_features_too_large_for_their_precision_are_refused(
    dtype: torch.dtype, value: float, told: str, tmp_path: Path
) -> None:
    large = REAL.to(dtype, copy=True)
    large[3, 1] = value
    reference = StoredReference(ReferenceStore(tmp_path), "data", "none", len(large))
    with pytest.raises(UserError, match=told):
        measure_features(
            large, FAKE.to(dtype), None, replace(FAST, words=("fid",)), reference, lambda text: None
        )


def test_every_neighbour_that_is_looked_at_has_to_be_there() -> None:
    assert check_metrics(FAST, 80, 70, logits=False) == (5, 15)
    assert check_metrics(replace(FAST, words=("fid",)), 3, 3, logits=False) == ()
    with pytest.raises(UserError, match=r"k=5 needs more than 15 samples on both sides \(pr_cover"):
        check_metrics(FAST, 80, 15, logits=False)


@pytest.mark.parametrize(
    ("word", "fewest", "told"),
    [
        ("kid", (4, 4), "kid needs at least 4 samples in each set, got 4 real and 3 fake; use more samples"),
        ("fid", (2, 2), "fid needs at least 2 samples in each set, got 2 real and 1 fake; use more samples"),
        ("classifier", (8, 8), "classifier needs at least 8 samples in each set, got 8 real and 7 fake"),
        ("prd", (12, 8), "prd needs at least 20 samples in both sets, got 12 real and 7 fake"),
    ],
)
def test_metrics_are_told_how_many_samples_they_have_before_they_measure(
    word: str, fewest: tuple[int, int], told: str, tmp_path: Path
) -> None:
    settings = MeasureSettings(words=(word,), draws=20, device="cpu")
    assert check_metrics(settings, *fewest, logits=False) == ()
    reference = StoredReference(ReferenceStore(tmp_path), "data", "none", fewest[0])
    sets = REAL[: fewest[0]], FAKE[: fewest[1]]
    assert measure_features(*sets, None, settings, reference, lambda text: None).values[word]
    with pytest.raises(UserError, match=told):
        check_metrics(settings, fewest[0], fewest[1] - 1, logits=False)


def test_logits_are_asked_for_before_anything_is_measured() -> None:
    asked = replace(FAST, words=("inception_score",))
    assert check_metrics(asked, 80, 70, logits=True) == ()
    assert check_metrics(replace(FAST, k=3), 80, 70, logits=False) == (3, 9)
    with pytest.raises(UserError, match="needs class logits, which these features do not have; use images"):
        check_metrics(asked, 80, 70, logits=False)


def test_every_number_shows_the_kind_of_its_interval_or_why_it_has_none(tmp_path: Path) -> None:
    found = measured(tmp_path, replace(FAST, words=("coverage", "fid", "pr_cover"), k=9))
    assert found.values["coverage"]["interval"] == "Wilson, design effect"
    assert set(found.values["fid"]) == {"value", "ci", "interval"}
    withheld = found.values["pr_cover"]["recall"]
    assert (withheld["ci"], withheld["interval"]) == (None, None)
    assert withheld["withheld"].startswith("its interval needs more than 27 samples in a third")


@dataclass(frozen=True)
class Gap(Metric):
    """A metric of a user's own: a plain interval, without a kind, or none at all."""

    name: ClassVar[str] = "gap"
    entries: ClassVar[tuple[Entry, ...]] = (Entry("gap", "Gap", "Of means.", "min", 0),)
    silent: bool = False

    def measure(self, pair: Pair) -> Scores:
        value = float((pair.real.mean(0) - pair.fake.mean(0)).norm())
        return Scores({"gap": value}, {} if self.silent else {"gap": (value - 1, value + 1)})


def test_a_plain_interval_of_an_own_metric_is_given_and_none_is_told(tmp_path: Path) -> None:
    plain = measured(tmp_path, replace(FAST, metrics=(Gap(),))).values["gap"]
    assert plain == {
        "value": plain["value"],
        "ci": [plain["value"] - 1, plain["value"] + 1],
        "interval": "given",
    }
    silent = measured(tmp_path, replace(FAST, metrics=(Gap(silent=True),))).values["gap"]
    assert silent["ci"] is None
    assert silent["withheld"] == "the metric gives no interval"


def test_a_data_frame_has_a_row_per_number() -> None:
    found = Measurement(
        {
            "precision": {"value": 0.5, "ci": None, "interval": None, "withheld": "too few"},
            "prd": {"f8": {"value": 0.2, "ci": [0.1, 0.3], "interval": "pivot"}},
            "inception_score": None,
            "settings": {"k": 5},
        }
    )
    frame = found.to_pandas()
    assert frame.loc["prd.f8"].tolist() == [0.2, 0.1, 0.3, "pivot"]
    assert math.isnan(frame.loc["precision", "low"])
    assert frame["low"].dtype == float
    assert list(frame.index) == ["precision", "prd.f8"]
