"""A model behind MLflow's own server: samples for a request, one sentence for nonsense, never a trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import requests

from explorer.cli.ports import free_port
from explorer.models import model_files
from explorer.models.served import SECONDS, Served
from tests.explorer.models.folders import written
from tests.trainables.samplers.trained import TAGGED, sampler, trained

NONSENSE: list[Any] = [
    {"n": "many"},
    {"n": -1},
    {"n": 0},
    {"n": float("nan")},
    {"n": 10**12},
    {"n": 10**30},
    {"n": []},
    {"n": {"a": 1}},
    {"n": None},
    {"budget": 2},
    {"n": 5, "budget": 0.5},
    {"n": 5, "budget": 1e9},
    {"n": 5, "budget": 10**400},
    {"n": 5, "budget": -(10**400)},
    {"n": 5, "seed": 2**63},
    {"n": 5, "x": 1},
    {"n": 5, "budget": "much"},
    {"n": 5, "budget": float("nan")},
    {"n": 5, "budget": float("inf")},
    {"n": 5, "budget": {}},
    {"n": 5, "seed": -1},
    {"n": 5, "seed": "x"},
    {"n": 5, "class": 3},
    {},
    [],
    [1, 2],
    "text",
    None,
    5,
]
BODIES = ["no json", "", "[1, 2]", "5", "null", b"\xff\xfe", '{"n": 3}', '{"inputs": {"n": 3}, "params": 5}']


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(model_files(trained("points").file), tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[str]:
    """MLflow's scoring server, in this process."""
    import mlflow
    import uvicorn
    from mlflow.pyfunc import scoring_server

    port = free_port("127.0.0.1", 5700)
    app = scoring_server.init(mlflow.pyfunc.load_model(str(place)))  # type: ignore[no-untyped-call]
    running = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}/invocations"
    running.should_exit = True
    thread.join()


def _ask(server: str, body: Any) -> requests.Response:
    data = body if isinstance(body, str | bytes) else json.dumps(body)
    return requests.post(server, data=data, headers={"content-type": "application/json"}, timeout=60)


def test_requests_are_answered_in_every_form_of_json(server: str) -> None:
    for body in (
        {"inputs": {"n": 3, "budget": 2}},
        {"instances": [{"n": 3, "budget": 2.0}]},
        {"dataframe_records": [{"n": 1, "budget": 1.5}, {"n": 2, "budget": 4}]},
        {"dataframe_split": {"columns": ["n"], "data": [[3]]}},
    ):
        answer = _ask(server, body)
        assert answer.status_code == 200, answer.text
        assert np.shape(answer.json()["predictions"]) == (3, 2)


def test_the_report_tells_what_samples_cost(server: str) -> None:
    asked = {"inputs": {"n": 500, "budget": 2, "seed": 4}, "params": {"report": True}}
    first, again = (_ask(server, asked).json()["predictions"] for _ in range(2))
    assert first == again
    (reading,) = first["readings"]
    assert reading["acceptance"] == 500 / reading["draws"]
    assert np.shape(first["samples"]) == (500, 2)


@pytest.mark.parametrize("asked", NONSENSE, ids=str)
def test_nonsense_is_refused_without_a_trace(server: str, asked: Any) -> None:
    _refused(_ask(server, {"inputs": asked}))


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_bodies_that_are_no_request_are_refused(server: str, body: Any) -> None:
    _refused(_ask(server, body))


def _refused(answer: requests.Response) -> None:
    assert answer.status_code == 400, answer.text
    assert answer.json()["message"]
    assert "Traceback" not in answer.text
    assert "stack_trace" not in answer.text


def _sentence(model: Served, asked: Any, params: dict[str, Any] | None = None) -> str:
    from mlflow.exceptions import MlflowException

    with pytest.raises(MlflowException) as caught:
        model.predict(asked, params)
    assert caught.value.error_code == "INVALID_PARAMETER_VALUE"
    return str(caught.value)


def test_sentences_name_the_invariant_the_value_and_the_remedy() -> None:
    model = Served(sampler(trained("points").file))
    assert (
        _sentence(model, {"n": 5, "budget": 0.5})
        == "budget K must be ≥ 1, got 0.5; use K=1 to accept every sample"
    )
    assert _sentence(model, {"n": 2.5}) == "n must be a whole number from 1 to 100,000, got 2.5"
    assert "got 0.99999999; use" in _sentence(model, {"n": 5, "budget": 0.99999999})
    assert _sentence(model, {"n": 10**5000}).endswith("got a value of int that cannot be written")
    assert "at most 100,000 in all, got 120,000" in _sentence(model, [{"n": 60_000}] * 2)
    assert "at most 10,000,000 draws, got 5e+09" in _sentence(model, {"n": 5, "budget": 1e9})
    assert "got 'k'; leave it out" in _sentence(model, {"n": 5, "k": 2})
    assert "got none" in _sentence(model, [])
    assert "class must be left out" in _sentence(model, {"n": 5, "class": 0})
    assert "at most 10,000 rows" in _sentence(model, [{"n": 1}] * 10_001)


def test_several_threads_may_ask_at_a_time() -> None:
    model = Served(sampler(trained("points").file))

    def ask(seed: int) -> list[float]:
        found: list[float] = model.predict({"n": 300, "budget": 2, "seed": seed}).tolist()
        return found

    alone = [ask(seed) for seed in range(4)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, [*range(4)] * 50)) == alone * 50


def test_a_row_of_a_table_may_leave_its_budget_out(server: str) -> None:
    report = {"params": {"report": True}}
    for body in (
        {"dataframe_records": [{"n": 1, "budget": 2}, {"n": 2}]},
        {"dataframe_split": {"columns": ["n", "budget"], "data": [[1, 2], [2, None]]}},
        {"inputs": [{"n": 1, "budget": 2}, {"n": 2}]},
    ):
        answer = _ask(server, {**body, **report})
        assert answer.ok, answer.text
        readings = answer.json()["predictions"]["readings"]
        assert [(one["n"], one["budget"]) for one in readings] == [(1, 2.0), (2, 1.0)]
    model = Served(sampler(trained("points").file))
    assert len(model.predict(pd.DataFrame({"n": [1, 2], "seed": [None, 3.0]}))) == 3
    assert "must say how many" in _sentence(model, pd.DataFrame({"n": [1, None]}))
    assert "got nan" in _sentence(model, pd.DataFrame({"n": [1, 2], "budget": [float("nan")] * 2}))


LONG = {"n": 1000, "budget": 10_000, "seed": 1}
"""A request that is legal and takes many seconds."""


def test_a_call_ends_by_itself_and_tells_what_it_had(server: str) -> None:
    answer = _ask(server, {"inputs": LONG, "params": {"seconds": 0.3}})
    _refused(answer)
    assert "a call must be over in 0.3 seconds, and kept" in answer.json()["message"]
    assert "of 1,000 samples in them; ask for fewer samples, a smaller budget, or more" in answer.text
    rows = [{"n": 300, "seed": 1}, {**LONG, "n": 700}]
    sentence = _sentence(Served(sampler(trained("points").file)), rows, {"seconds": 0.3})
    kept = int(sentence.partition("and kept ")[2].partition(" of 1,000")[0])
    assert 300 <= kept < 1000


def test_a_short_call_does_not_wait_for_a_long_one() -> None:
    model = Served(sampler(trained("points").file))
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(_sentence, model, LONG, {"seconds": 2})
        while not model._turns._queue:
            time.sleep(0.001)
        for seed in range(5):
            assert len(model.predict({"n": 10, "budget": 2, "seed": seed})) == 10
        assert not long.done()
        assert "a call must be over in 2 seconds" in long.result()


def test_waiting_counts() -> None:
    model = Served(sampler(trained("points").file))
    with model._turns.turn(time.monotonic() + 60):
        assert "kept 0 of 5 samples" in _sentence(model, {"n": 5}, {"seconds": 0.05})
    assert len(model.predict({"n": 5})) == 5


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e300, "many", [1], {}], ids=str)
def test_seconds_that_are_none_are_refused(server: str, seconds: Any) -> None:
    _refused(_ask(server, {"inputs": {"n": 5}, "params": {"seconds": seconds}}))
    _sentence(Served(sampler(trained("points").file)), {"n": 5}, {"seconds": seconds})


def test_seconds_may_be_whole_and_are_those_that_the_signature_names(server: str, place: Path) -> None:
    assert _ask(server, {"inputs": {"n": 5}, "params": {"seconds": 30}}).ok
    assert _ask(server, {"inputs": {"n": 5}, "params": {"seconds": None}}).ok
    assert (
        f'"seconds\\", \\"type\\": \\"double\\", \\"default\\": {SECONDS}' in (place / "MLmodel").read_text()
    )


def test_images_are_fewer_at_a_time_and_classes_are_told(tmp_path: Path) -> None:
    (tmp_path / "tagged.py").write_text(TAGGED)
    model = Served(sampler(trained("tagged", tmp_path).file))
    told = model.predict({"n": 6, "budget": 2, "class": 3, "seed": 1}, {"report": True})
    assert told["classes"].tolist() == [3] * 6
    assert told["samples"].dtype == np.uint8
    assert "class must be a whole number from 0 to 9, got 10" in _sentence(model, {"n": 1, "class": 10})
    model._sampler.shape = (3, 256, 256)
    assert "n must be at most 341 in all" in _sentence(model, {"n": 1000})


@pytest.mark.slow
def test_mlflow_serves_it(place: Path) -> None:
    port = free_port("127.0.0.1", 5800)
    command = [
        sys.executable,
        "-m",
        "mlflow",
        "models",
        "serve",
        "-m",
        str(place),
        "-p",
        str(port),
        "--env-manager",
        "local",
    ]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    with subprocess.Popen(command, env={**os.environ, "PATH": path}, cwd=place) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(f"{url}/ping")
            answer = _ask(f"{url}/invocations", {"inputs": {"n": 64, "budget": 2}})
            assert np.shape(answer.json()["predictions"]) == (64, 2)
            for asked in NONSENSE:
                _refused(_ask(f"{url}/invocations", {"inputs": asked}))
        finally:
            process.terminate()


def _wait(url: str) -> None:
    for _ in range(600):
        try:
            if requests.get(url, timeout=5).ok:
                return
        except requests.ConnectionError:
            pass
        time.sleep(0.2)
    raise AssertionError(f"{url} does not answer")
