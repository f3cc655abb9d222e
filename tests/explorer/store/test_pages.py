"""Pages of runs: a server's own JSON says what MLflow's client makes of it, and spans of time leave nobody out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from explorer.store import pages
from explorer.store.pages import Pages, _Page, _stored
from explorer.store.runs import StoredRun, stored

RAW = {
    "info": {
        "run_id": "r", "experiment_id": "1", "status": "FINISHED", "start_time": "1760000000000",
        "end_time": 1760000000001, "artifact_uri": "mlflow-artifacts:/1/r/artifacts", "lifecycle_stage": "active",
    },
    "data": {
        "metrics": [
            {"key": "fid", "value": 2.5, "timestamp": 5, "step": "7"},
            {"key": "recall", "value": "NaN", "timestamp": 5, "step": -3},
            {"key": "loss", "value": "Infinity", "timestamp": 5},
            {"key": "low", "value": "-Infinity", "timestamp": 5},
            {"key": "whole", "value": 3, "timestamp": 5},
        ],
        "params": [{"key": "seed", "value": "3"}, {"key": "empty"}],
        "tags": [{"key": "tradeoff.trial", "value": "a"}, {"key": "no value"}],
    },
}  # fmt: skip


def test_json_is_read_as_the_client_reads_it() -> None:
    from mlflow.entities import Run
    from mlflow.protos.service_pb2 import Run as ProtoRun
    from mlflow.utils.proto_json_utils import parse_dict

    message = ProtoRun()
    parse_dict(RAW, message)
    theirs, ours = stored(Run.from_proto(message)), _stored(RAW)
    assert math.isnan(ours.metrics["recall"])
    assert repr(ours) == repr(theirs)
    bare = _stored({"info": {"run_id": "r", "experiment_id": "1"}})
    assert (bare.status, bare.started, bare.ended, bare.metrics, bare.last_step) == (
        "running",
        0,
        0,
        {},
        None,
    )
    odd = _stored({**RAW, "data": {"metrics": [{"key": "fid", "value": "abc"}]}})
    assert odd.faults == ("its fid is no number",)


class Served(Pages):
    """Pages of runs that are made up, asked for as a server is."""

    def __init__(self, starts: Sequence[int]) -> None:
        self._is_server = True
        self.runs = [
            StoredRun(f"{i:04}", "1", "finished", start, start, "", {}, {}, {}, None)
            for i, start in enumerate(sorted(starts))
        ]
        self.asked = 0

    def _page(self, where, size, order="attributes.start_time ASC", trash=False, token=None):
        self.asked += 1
        low, high = 0, math.inf
        for term in where:
            _, comparator, value = term.split()
            low, high = (int(value), high) if comparator == ">=" else (low, int(value))
        found = [run for run in self.runs if low <= run.started <= high]
        found = found[::-1] if order.endswith("DESC") else found
        start = int(token or 0)
        more = str(start + size) if len(found) > start + size else None
        return _Page(found[start : start + size], more)


@pytest.mark.parametrize(
    "starts",
    [
        [],
        range(5),
        range(1000),
        [7] * 300,
        [*range(50), *[50] * 100, *range(51, 60)],
        [0, *range(10**9, 10**9 + 200), 10**12],
        [2**i for i in range(40)],
    ],
)
def test_spans_find_every_run_once(starts: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "SIZE", 10)
    served = Served(starts)
    found = served.everything()
    assert sorted(run.run_id for run in found) == [run.run_id for run in served.runs]
    assert served.asked <= 3 + 4 * len(starts) / 10 + 2 * 45
