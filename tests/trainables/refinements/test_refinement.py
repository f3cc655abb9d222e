"""A reading depends on the method and its fields, not on which budgets are asked beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from trainables.refinements import REFINEMENTS, Proposals, Refined, Refinement
from trainables.refinements.obrs import Obrs


@dataclass(frozen=True)
class Tempered(Obrs):
    """A refinement with a field of its own."""

    name: ClassVar[str] = "tempered"
    temperature: float = 1.0


def test_the_method_has_its_fields_but_not_its_budgets() -> None:
    assert Tempered(budgets=(7,)).method_signature() == ["tempered", Obrs.version, {}]
    assert Tempered(temperature=2).method_signature() == ["tempered", Obrs.version, {"temperature": 2.0}]
    assert Obrs(budgets=(3,)).method_signature() == Obrs().method_signature()
    assert Obrs(budgets=(3,)).signature() != Obrs().signature()


def test_a_refinement_says_which_of_its_fields_only_ask_for_budgets() -> None:
    @dataclass(frozen=True)
    class Stepping(Tempered):
        name: ClassVar[str] = "stepping"
        asking: ClassVar[tuple[str, ...]] = ("steps",)
        steps: tuple[float, ...] = (2.0,)

    assert Stepping(steps=(2, 4)).method_signature() == Stepping().method_signature()
    assert Stepping(temperature=2).method_signature() != Stepping().method_signature()


def test_a_refinement_must_ask_propose_and_refine() -> None:
    @dataclass(frozen=True)
    class Half(Refinement):
        name: ClassVar[str] = "half"

        def refine(self, proposals: Proposals, samples: int) -> Iterator[Refined]:
            return iter(())

    with pytest.raises(ValueError, match=r"Half must define asked, proposals$"):
        REFINEMENTS.add(Half)


@pytest.mark.parametrize(
    ("asked", "proposals", "sentence"),
    [
        (
            lambda: 1 / 0,
            10,
            "asked() of refinement 'odd' must give budgets such as (1.5, 2.0), but it raised Zero",
        ),
        (lambda: 2.0, 10, "asked() of refinement 'odd' must give budgets such as (1.5, 2.0), got 2.0"),
        (lambda: ("2",), 10, "asked() of refinement 'odd' must give budgets such as (1.5, 2.0), got ('2',)"),
        (
            lambda: (0.5,),
            10,
            "refinement 'odd' must ask for budgets K > 1, got (0.5,); K = 1 is the model as it is",
        ),
        (lambda: (2.0,), 1.5, "proposals() of refinement 'odd' must give a whole number ≥ 1, got 1.5"),
        (lambda: (2.0,), True, "proposals() of refinement 'odd' must give a whole number ≥ 1, got True"),
    ],
)
def test_what_a_refinement_answers_is_checked_at_birth(
    asked: Callable[[], Any], proposals: Any, sentence: str
) -> None:
    @dataclass(frozen=True)
    class Odd(Refinement):
        name: ClassVar[str] = "odd"

        def asked(self) -> Any:
            return asked()

        def proposals(self, samples: int) -> Any:
            return proposals

        def refine(self, proposals: Proposals, samples: int) -> Iterator[Refined]:
            return iter(())

    with pytest.raises(ValueError, match=r".") as refusal:
        Odd()
    assert str(refusal.value).startswith(sentence)
