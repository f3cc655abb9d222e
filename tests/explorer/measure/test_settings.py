"""What a measurement is asked for: words choose members, members know their fields, devices are checked."""

from __future__ import annotations

import pytest

from explorer.errors import UserError
from explorer.measure import (
    MeasureSettings,
    all_metrics,
    metric_words,
    parse_metrics,
    with_classifier,
)
from trainables.metrics import Metric


def test_metric_names() -> None:
    assert parse_metrics(None) is None
    assert parse_metrics("fid, kid") == ("fid", "kid")
    for wrong in ("fid,speed", "", ","):
        with pytest.raises(UserError, match="metrics must be among"):
            parse_metrics(wrong)
    with pytest.raises(UserError, match=r"got 'precison'; did you mean 'precision'\?"):
        parse_metrics("precison")


def test_words_are_the_parts_of_keys_before_the_dot() -> None:
    words = metric_words(all_metrics())
    assert {"precision", "recall", "density", "coverage", "fid", "kid", "prd", "classifier"} <= set(words)
    assert len(words) == len(set(words))
    assert not any("." in word for word in words)
    assert parse_metrics(",".join(words)) == tuple(words)


def test_what_needs_the_law_of_the_data_cannot_be_measured_from_files() -> None:
    assert "modes" not in {metric.name for metric in all_metrics()}
    assert "quality" not in metric_words(all_metrics())


def test_only_the_members_that_are_needed_are_chosen() -> None:
    assert MeasureSettings().chosen() == all_metrics()
    assert [m.name for m in MeasureSettings(words=("recall", "fid")).chosen()] == ["neighbours", "frechet"]


def test_a_classifier_is_chosen_for_all_that_is_made_of_one_and_changes_nothing_else() -> None:
    chosen = with_classifier(all_metrics(), "mlp")
    pairs = zip(chosen, all_metrics(), strict=True)
    changed = {now.name: now.changed() for now, before in pairs if now != before}
    assert changed["classifier"] == {"learner": "mlp"}
    assert all(fields == {"learner": "mlp"} for fields in changed.values())
    assert with_classifier(all_metrics(), "ensemble") == all_metrics()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("svm", r"classifier must be one of ensemble, logistic, mlp, knn, got 'svm'$"),
        ("logistik", r"got 'logistik'; did you mean 'logistic'\?$"),
        ("", r"got ''$"),
    ],
)
def test_a_classifier_that_there_is_not_is_told(name: str, told: str) -> None:
    metrics: tuple[Metric, ...] = ()
    with pytest.raises(UserError, match=told):
        with_classifier(metrics, name)


def test_only_what_was_asked_for_is_wanted() -> None:
    some = MeasureSettings(words=("recall", "prd"))
    assert [key for key in ("precision", "recall", "prd.f8", "fid") if some.wants(key)] == [
        "recall",
        "prd.f8",
    ]
    assert MeasureSettings().wants("anything")


@pytest.mark.parametrize("device", ["abacus", "meta", "cuda:x", "CPU", "cpu:0"])
def test_devices_are_checked(device: str) -> None:
    with pytest.raises(UserError, match="the device must be auto, cpu, cuda or cuda:N"):
        MeasureSettings(device=device).torch_device()


def test_the_device_is_there() -> None:
    import torch

    assert MeasureSettings(device="cpu").torch_device() == "cpu"
    assert MeasureSettings().torch_device() == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(UserError, match="device cuda:99 was asked for, but torch finds"):
        MeasureSettings(device="cuda:99").torch_device()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (MeasureSettings(k=0), "k must be at least 1, got 0"),
        (MeasureSettings(seed=-1), "the seed must be a whole number from 0"),
        (MeasureSettings(seed=2**63), "the seed must be a whole number from 0"),
        (MeasureSettings(device="abacus"), "the device must be auto"),
    ],
)
def test_what_nothing_could_be_measured_with_is_refused(settings: MeasureSettings, told: str) -> None:
    with pytest.raises(UserError, match=told):
        settings.check()
    MeasureSettings(seed=2**63 - 1).check()
