"""Sentences name the fault, the value and the nearest name there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest
from pydantic import TypeAdapter, ValidationError

from explorer.sweep.messages import MOVED, has_no, sentence
from explorer.sweep.sections import variable_paths
from tests.explorer.sweep.refusal import refusal
from trainables.family import Config, require


@dataclass(frozen=True)
class Sample(Config):
    count: int
    share: float = 0.5
    kind: Literal["round", "square"] = "round"
    names: tuple[str, ...] = ()
    title: str = ""

    def check(self) -> None:
        require(self.count >= 1, f"box.count must be ≥ 1, got {self.count}")
        require(self.share <= 1, f"a share is at most 1, got {self.share}")


def fault(raw: Any, where: str = "box") -> str:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Sample).validate_python(raw)
    return sentence(caught.value, [f.name for f in Sample.declared()], where)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({}, "'box.count' must be given"),
        ({"count": "abc"}, "'box.count' must be a whole number, got 'abc'"),
        ({"count": 1.5}, "'box.count' must be a whole number, got 1.5"),
        ({"count": None}, "'box.count' must be a whole number, got None"),
        ({"count": 1, "share": "much"}, "'box.share' must be a number, got 'much'"),
        ({"count": 1, "kind": "rund"}, "'box.kind' cannot be 'rund'; it can be round, square"),
        ({"count": 1, "kind": 7}, "'box.kind' cannot be 7; it can be round, square"),
        ({"count": 1, "names": 3}, "'box.names' must be a list, got 3"),
        ({"count": 1, "title": 3}, "'box.title' must be text, got 3"),
        ({"count": 0}, "box.count must be ≥ 1, got 0"),
        ({"count": 1, "share": 2}, "box: a share is at most 1, got 2.0"),
        (
            {"count": 1, "shar": 1},
            "unknown key 'box.shar': section 'box' has no 'shar', only count, share, kind, names, title; "
            "did you mean 'share'?",
        ),
        (
            {"count": 1, "": 1},
            "unknown key 'box.': section 'box' has no '', only count, share, kind, names, title",
        ),
        (3, "'box' must be a section with keys, got 3"),
    ],
)
def test_every_kind_of_fault_has_its_sentence(raw: Any, told: str) -> None:
    assert fault(raw) == told


def test_of_the_whole_file_no_section_is_named() -> None:
    assert fault({"count": 1, "shar": 1}, where="").startswith("unknown key 'shar': a sweep has no 'shar'")


def test_what_an_owner_has_instead() -> None:
    assert (
        has_no("model 'm'", "widht", ["width"])
        == "model 'm' has no 'widht', only width; did you mean 'width'?"
    )
    assert has_no("model 'm'", "lam", ["width"]) == "model 'm' has no 'lam', only width"
    assert has_no("stopper 'none'", "lam", []) == "stopper 'none' has no 'lam', and no fields at all"


def test_keys_that_moved_say_where_they_are_now() -> None:
    assert refusal("training.warmup=3") == "unknown key 'training.warmup': it is 'objective.warmup' now"
    paths = variable_paths()
    assert all(now in paths and before not in paths for before, now in MOVED.items())
