"""Runs beside each other from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import explorer.api as te
from explorer.results.store import ResultStore
from tests.app.made_sweep import MADE, configs, made, write_sweep
from tests.stores import empty_store


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    uri = empty_store(tmp_path_factory.mktemp("store"))
    write_sweep(uri, MADE, [made(config) for config in configs((0.1, 10.0), 3)[:6]])
    return uri


def test_a_comparison_is_a_frame_sentences_and_a_page(uri: str, tmp_path: Path) -> None:
    ids = [trial.id for trial in ResultStore(uri).table(MADE)]
    found = te.compare_runs([ids[0], ids[3]], budget=2, metrics=["precision", "recall"], tracking_uri=uri)
    frame = found.to_pandas().set_index(["metric", "run"])
    assert frame.index.levels[0].tolist() == ["precision", "recall"]
    assert frame["verdict"].dropna().tolist() == ["better", "worse"]
    assert frame["n"].tolist() == [3] * 4
    assert "B is better than A in precision and worse in recall, beyond luck." in found.sentences()
    assert found.document()["runs"][0]["budget"] == 2
    assert repr(found) == "<comparison of λ 0.1 · seed 0, λ 10 · seed 0: 2 metrics>"
    assert found.report(tmp_path / "page.html").stat().st_size > 1_000_000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"runs": "abcd"}, "runs to compare must be a list of texts, got 'abcd'"),
        ({"runs": [1, 2]}, "each of the runs to compare must be"),
        ({"runs": ["abcd"]}, "a comparison takes 2 to 8 runs, got 1"),
        ({"runs": ["a", "b"], "metrics": "fid"}, "metrics must be a list of texts"),
        ({"runs": ["a", "b"], "budget": "two"}, "the budget must be a number, got 'two'"),
    ],
)
def test_other_input_is_refused_in_a_sentence(uri: str, arguments: dict, sentence: str) -> None:
    with pytest.raises(te.UserError) as refused:
        te.compare_runs(**arguments, tracking_uri=uri)
    assert sentence in str(refused.value)
