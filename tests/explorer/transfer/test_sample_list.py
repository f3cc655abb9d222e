"""Which sets are measured, as words and as a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from explorer.errors import UserError
from explorer.measure.inputs import outline_set
from explorer.store.schema import ARRAYS_FILE
from explorer.transfer import SampleTrial, parse_params, read_list


def test_words_are_parameters_and_a_set_is_called_by_its_file() -> None:
    params = parse_params(["model=a=b", "objective.lam=0.5", "deep=true", "none=", "tag='007"])
    assert params == {"model": "a=b", "objective.lam": 0.5, "deep": True, "tag": "007"}
    del params["tag"]
    assert SampleTrial(Path("x/run-7.npy"), params).told == {"samples": "run-7", **params}
    assert SampleTrial(Path("x"), {"samples": "mine"}).told == {"samples": "mine"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["model"], "is given as key=value, got 'model'"),
        (["=a"], "begins with a letter, got ''"),
        (["a b=1"], "begins with a letter"),
        (["a=1", "a=2"], "'a' twice"),
        ([f"a={'x' * 501}"], "at most 500 characters"),
    ],
)
def test_other_words_are_refused(words: list[str], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        parse_params(words)


def test_a_table_has_a_row_per_set(tmp_path: Path) -> None:
    file = tmp_path / "sets.csv"
    file.write_text("\ufefflam,fake,model\n1,a.npy,x\n\n2.5,/abs/b,\n")
    assert read_list(file, {"seed": 3}) == [
        SampleTrial(tmp_path / "a.npy", {"seed": 3, "lam": 1, "model": "x"}),
        SampleTrial(Path("/abs/b"), {"seed": 3, "lam": 2.5}),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "must have headings, each once, one of them 'fake'"),
        ("a,b\n1,2\n", "one of them 'fake'"),
        ("fake,a,a\n1,2,3\n", "each once"),
        ("fake,a\n", "must have 1 to 10,000 rows"),
        ("fake,a\nx\n", "must have 2 cells in every row, got 1"),
        ("fake,a\n,1\n", "and one is empty"),
        ("fake,a b\nx,1\n", "begins with a letter"),
        ("fake,seed\nx,1\n", "'seed' is a column of .* and a --param too"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "sets.csv"
    file.write_text(text)
    with pytest.raises(UserError, match=sentence):
        read_list(file, {"seed": 3})


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_list(tmp_path / "none.csv", {})


def test_the_table_of_the_documentation_names_files_that_can_be_measured(tmp_path: Path) -> None:
    """What a trial of ours keeps of its samples holds an array per reading, of which none is the set."""
    text = (Path(__file__).parents[3] / "docs" / "importing.md").read_text(encoding="utf-8")
    (tmp_path / "sets.csv").write_text(text[text.index("fake,model,") :].partition("```")[0])
    found = read_list(tmp_path / "sets.csv", {})
    assert [dict(one.params) for one in found] == [
        {"model": "mine", "objective.lam": lam, "seed": 0} for lam in (0.5, 2)
    ]
    for one in found:
        assert one.fake.name != ARRAYS_FILE
        one.fake.parent.mkdir(parents=True)
        np.save(one.fake, np.zeros((9, 2)))
        assert outline_set(one.fake).is_features
