"""The JSON of a comparison: its fields are stable, and what is not known is null."""

from __future__ import annotations

import json

from explorer.comparison.comparison import compare_sides
from explorer.comparison.document import comparison_document
from tests.explorer.comparison.made import sides, table
from tests.explorer.comparison.test_comparison import HIGH, LOW


def test_the_fields_are_those_of_the_docs() -> None:
    here = table({1.0: LOW, 2.0: HIGH})
    found = json.loads(json.dumps(comparison_document(compare_sides(sides((here, "a0"), (here, "b1"))))))
    assert list(found) == ["runs", "single_seeds", "differing", "shared", "metrics", "costs", "sentences"]
    assert found["runs"][1] == {
        "letter": "B", "name": "λ 2 · seed 1", "sweep": "s", "trial": "b1", "run_id": "run-b1", "status": "finished",
        "seed": 1, "seeds": 3, "method": "none", "budget": 1.0, "iterations": None,
    }  # fmt: skip
    assert found["differing"] == {"objective.lam": [1.0, 2.0]}
    precision = found["metrics"][0]
    assert list(precision) == ["name", "title", "direction", "values", "best", "differences"]
    assert list(precision["values"][0]) == ["value", "low", "high", "n", "by_seed"]
    assert list(precision["differences"][0]) == [
        "value", "low", "high", "p", "p_corrected", "test", "pairs", "verdict",
    ]  # fmt: skip
    assert list(found["costs"][0]) == ["name", "title", "direction", "values", "best"]


def test_what_is_not_known_is_null() -> None:
    here = table({1.0: LOW[:1], 2.0: [{"fid": 1.0}]})
    found = comparison_document(compare_sides(sides((here, "a0"), (here, "b0"))))
    json.dumps(found, allow_nan=False)
    precision = found["metrics"][0]
    assert precision["values"][1] == {"value": None, "low": None, "high": None, "n": 0, "by_seed": {}}
    assert (precision["differences"][0]["value"], precision["differences"][0]["verdict"]) == (None, "unknown")
