"""A store with sweeps in it, written by the product's own writer."""

from __future__ import annotations

import math

import pytest

from explorer.results.catalogue import Catalogue
from explorer.store.schema import PLAIN, At, metric_key
from explorer.tracking import Tracker
from tests.stores import empty_store
from trainables.metrics.metric import Entry

CATALOGUE = Catalogue.of(
    [Entry("precision", "Precision", "", "max", 0, 1), Entry("beauty", "Beauty", "", "max")]
).to_json()
MARKS = {PLAIN: "a", At("obrs", 1.5): "b"}
OBJECTIVES = {"recall": "max", "fid": "min"}
PARAMS = {"objective.name": "pr", "objective.lam": 0.1, "seed": 3, "constraint.spectral": True, "note": None}


@pytest.fixture(scope="module")
def uri(tmp_path_factory):
    uri = empty_store(tmp_path_factory.mktemp("store"))
    tracker = Tracker(uri, "one")
    tracker.open_sweep("demo", OBJECTIVES, "a small one", "name: demo\n", CATALOGUE)
    tracker.start([("a", PARAMS), ("b", {"seed": 1}), ("c", {"seed": 2}), ("d", {"seed": 4})])
    tracker.log("a", 10, {"precision": 0.4, "fid": 2.0})
    tracker.log(
        "a", 20, {"precision": 0.5, "fid": math.nan, metric_key(At("obrs", 1.5), "acceptance"): 0.66}, MARKS
    )
    tracker.artifacts(
        "a", {"curve.json": '{"lambda": [1, 2]}', "torn.json": '{"lam', "samples.png": b"\x89PNG"}
    )
    tracker.finish("a")
    tracker.fail("b", "out of memory")
    tracker.close_sweep(interrupted=True)
    tracker.open_sweep("later", {"precision": "max"}, "", "", "{}")
    return uri
