"""Resources and tracking have defaults that run anywhere, and refuse what could run nowhere."""

from __future__ import annotations

import pytest

from explorer.sweep.resources import ResourceSpec, TrackingSpec
from tests.explorer.sweep.refusal import refusal


def test_left_open_a_pack_gets_one_core_and_what_cards_there_are() -> None:
    spec = ResourceSpec()
    assert (spec.cpus, spec.gpus, spec.pack, spec.storage) == (1.0, None, None, None)
    assert TrackingSpec() == TrackingSpec(None, "tradeoff-explorer")


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("resources.cpus=0", "resources.cpus must be positive, got 0"),
        ("resources.cpus=.nan", "resources.cpus must be positive, got nan"),
        ("resources.cpus=.inf", "resources.cpus must be positive, got inf"),
        ("resources.gpus=-1", "resources.gpus must be ≥ 0, got -1"),
        ("resources.pack=0", "resources.pack must be ≥ 1, got 0"),
        ("resources.retries=-1", "resources.retries must be ≥ 0, got -1"),
        ("resources.storage=/dev/null", "resources.storage must be a folder, but /dev/null is none"),
        (
            "resources.cpu=1",
            "section 'resources' has no 'cpu', only cpus, gpus, pack, retries, failures, storage",
        ),
        (
            "tracking.largest=0",
            "tracking.largest must be above 0 and at most 100,000 MB, got 0; to keep no models",
        ),
        ("tracking.largest=.nan", "tracking.largest must be above 0 and at most 100,000 MB, got nan"),
        ("tracking.models=some", "tracking.models"),
        (
            "tracking.url=x",
            "section 'tracking' has no 'url', only uri, experiment, patience, models, largest; did you mean 'uri'?",
        ),
    ],
)
def test_what_could_never_run_is_refused(assignment: str, told: str) -> None:
    assert told in refusal(assignment)


def test_no_card_at_all_may_be_asked_for() -> None:
    assert ResourceSpec(gpus=0).gpus == 0.0
    assert ResourceSpec(gpus=0.25).gpus == 0.25
