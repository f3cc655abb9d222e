"""Every field of every member and setting has a sentence, and a sentence is one that a reader can be shown."""

from __future__ import annotations

from dataclasses import dataclass, fields

import pytest

from explorer.results.known_fields import (
    MEMBER_SECTIONS,
    SETTINGS,
    brought_fields,
    documented,
    family_of,
    in_words,
    settings_of,
)
from explorer.sweep.plugins import ALL_FAMILIES
from trainables.config import FAMILIES, SECTIONS, TrainingConfig
from trainables.evaluation.settings import EvaluationConfig
from trainables.family import Member
from trainables.objectives import OBJECTIVES
from trainables.objectives.pr import PR

MEMBERS = [kind for family in ALL_FAMILIES for name, kind in family.loaded().items() if family.is_ours(name)]


@pytest.mark.parametrize("kind", MEMBERS, ids=lambda kind: f"{kind.__module__}:{kind.name}")
def test_every_field_of_a_member_has_a_sentence(kind: type[Member]) -> None:
    told = documented(kind)
    lacking = [field.name for field in kind.declared() if not told.get(field.name)]
    assert not lacking, f"give {kind.__name__} a sentence for {lacking} under 'Attributes:' in its docstring"
    for field in kind.declared():
        sentence = told[field.name]
        assert sentence.endswith(".")
        assert "``" not in sentence
        assert len(sentence) <= 250, (
            f"{kind.__name__}.{field.name}: the first sentence is to be read at a glance"
        )


@pytest.mark.parametrize("kind", [TrainingConfig, EvaluationConfig])
def test_every_setting_has_a_sentence(kind: type) -> None:
    assert {field.name for field in fields(kind)} <= set(documented(kind))


def test_every_family_but_those_of_the_sweep_is_known_by_its_section() -> None:
    known = {section: family_of(section) for section in MEMBER_SECTIONS}
    assert {section: known[section] for section in FAMILIES} == FAMILIES
    missing = {family.noun for family in ALL_FAMILIES if family not in known.values()}
    assert missing == {"search", "stopper"}
    assert set(SECTIONS) <= {*MEMBER_SECTIONS, *SETTINGS}
    assert family_of("training") is None


def test_a_setting_is_known_under_the_name_that_parameters_have() -> None:
    assert settings_of("start")["from"] == settings_of("start")["base"]
    assert settings_of("nowhere") == {}


@dataclass(frozen=True)
class Above:
    """Something.

    Attributes:
        low, high: ends of ``it``.
        own: σ of the noise. This is not shown.
    """

    low: int = 0
    high: int = 1
    own: float = 1.0


@dataclass(frozen=True)
class Below(Above):
    """Something else.

    Attributes:
        own: what is said here wins
            over what is said above
        more: α

    other: no entry, since the section is over.
    """

    more: int = 0


class Wordless(Above):
    pass


@dataclass(frozen=True)
class Ours(PR):
    """A divergence of our own, for a test.

    Attributes:
        heat: how hot it is. In kelvin.
    """

    name = "ours_for_a_test"
    heat: float = 1.0


def test_fields_of_members_from_outside_are_told_with_those_they_inherit() -> None:
    assert not [key for key in brought_fields(lambda kind: True) if "ours_for_a_test" in key]
    OBJECTIVES.add(Ours)
    told = brought_fields(lambda kind: kind is Ours)
    assert {key.split(".")[1] for key in told} == {"ours_for_a_test"}
    assert brought_fields(lambda kind: False) == {}
    assert told["objective.ours_for_a_test.name"] == "A divergence of our own, for a test."
    assert told["objective.ours_for_a_test.heat"] == "How hot it is."
    assert told["objective.ours_for_a_test.lam"] == documented(PR)["lam"]


def test_the_nearest_docstring_counts() -> None:
    assert documented(Above) == {"low": "Ends of it.", "high": "Ends of it.", "own": "σ of the noise."}
    assert documented(Below) == {
        "low": "Ends of it.",
        "high": "Ends of it.",
        "own": "What is said here wins over what is said above.",
        "more": "α.",
    }
    assert documented(Wordless) == documented(Above)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", ""),
        ("share of it (Grover et al. 2018).", "Share of it (Grover et al. 2018)."),
        ("is it so? Perhaps.", "Is it so?"),
        ("k neighbours", "k neighbours."),
        ("K ≥ 1, draws. At 1 none.", "K ≥ 1, draws."),
        ("``auto``, or\n    ``memory``", "Auto, or memory."),
    ],
)
def test_a_text_becomes_one_sentence(text: str, sentence: str) -> None:
    assert in_words(text) == sentence
