"""A stored trial as a sweep file: the real loader takes it, and it names the same trial."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from explorer.goals import USUAL_GOALS, parse_goals
from explorer.results.repeat import (
    BASE_SECTIONS,
    SECTIONS,
    base_params,
    can_repeat,
    config_yaml,
    repeat_document,
    repeat_name,
    repeat_yaml,
)
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import decode, encode
from explorer.sweep.document import load_sweep
from explorer.sweep.start import BASE_SECTIONS as start_sections
from trainables import config as trial_config
from trainables.config import TrialConfig

PRESETS = ("demo", "digits-gan", "gaussians-8-curve", "celeba-biggan-small", "mnist-glow-small")


def stored(config: TrialConfig) -> Trial:
    """The trial as the tracking store gives it back."""
    params = {path: decode(encode(value)) for path, value in config.params().items()}
    return Trial(config.identity(), "run", "finished", params, {})


@pytest.mark.parametrize("preset", PRESETS)
def test_the_file_loads_and_names_the_same_trial_read_in_the_same_way(preset: str, tmp_path: Path) -> None:
    sweep = load_sweep(preset)
    document = yaml.safe_dump(dict(sweep.document), sort_keys=False, allow_unicode=True)
    point = list(sweep.search.probes(sweep.space))[-1]
    config = sweep.trial(point, sweep.seeds[-1])
    bases = [config.start.config] if config.start is not None and config.start.config is not None else []
    trials = [stored(one) for one in (config, *bases)]
    table = TrialTable(sweep.name, parse_goals(USUAL_GOALS), tuple(trials))
    for trial in trials:
        file = tmp_path / f"{repeat_name(trial)}.yaml"
        file.write_text(repeat_yaml(trial, sweep.name, document, base_params(table, trial)), encoding="utf-8")
        again = load_sweep(file)
        (own,) = again.search.probes(again.space)
        made = [again.trial(own, seed) for seed in again.seeds]
        assert [one.identity() for one in made] == [trial.id]
        # What it begins at is trained where it is not there.
        assert [one.start is None or one.start.config is not None for one in made] == [True]
        assert again.plan.readings() == sweep.plan.readings()
        assert again.name == f"repeat-{trial.id}" != sweep.name


def test_an_identity_that_looks_like_a_number_stays_text(tmp_path: Path) -> None:
    config = load_sweep("demo").trial({}, 0)
    base = "12345678e901"
    trial = stored(config)
    params = {**trial.params, "start.from": base, "start.critic": "fresh", "start.kind": base}
    file = tmp_path / "x.yaml"
    file.write_text(repeat_yaml(Trial(trial.id, "run", "finished", params, {}), "demo"), encoding="utf-8")
    again = load_sweep(file)
    start = again.trial({}, 0).start
    assert start is not None
    assert (start.base, start.critic) == (base, "fresh")


def test_a_base_that_began_at_another_or_is_not_there_is_named() -> None:
    start = {"start.from": "00d383c08418", "start.critic": "fresh"}
    trial = Trial("a", "run", "finished", {"objective.lam": 1.0, **start}, {})
    named = {"from": "00d383c08418", "critic": "fresh"}
    began = {"objective.name": "gan", "start.from": "a575466cad7b"}
    for base in (None, {}, began):
        assert repeat_document(trial, "s", None, base)["start"] == named
        assert "base" not in repeat_document(trial, "s", None, base)
    described = repeat_document(
        trial, "s", None, {"objective.name": "gan", "model.name": "mlp_gan", "seed": 0}
    )
    assert described["start"] == {"from": "base", "critic": "fresh"}
    assert described["base"] == {"objective": {"name": "gan"}}


def test_the_sections_are_those_that_name_a_trial() -> None:
    assert trial_config.SECTIONS == SECTIONS
    assert start_sections == BASE_SECTIONS


def test_trials_of_others_cannot_be_repeated() -> None:
    assert can_repeat(stored(load_sweep("demo").trial({}, 0)))
    assert not can_repeat(Trial("x", "run", "finished", {"lr": 0.1, "model.name": 3}, {}))


def test_the_config_has_every_field_and_sequences_are_sequences() -> None:
    params = {"model.generator": "[24, 24]", "objective.lam": 0.5, "note": "[not json", "seed": 3}
    trial = Trial("abc", "run", "finished", params, {})
    assert yaml.safe_load(config_yaml(trial)) == {
        "model": {"generator": [24, 24]},
        "objective": {"lam": 0.5},
        "note": "[not json",
        "seed": 3,
    }


def test_a_path_that_is_a_value_and_a_section_keeps_its_dots() -> None:
    for params in ({"a": 1, "a.b": 2, "a.b.c": 3}, {"a.b.c": 3, "a.b": 2, "a": 1}):
        found = yaml.safe_load(config_yaml(Trial("x", "run", "finished", params, {})))
        assert found == {"a": 1, "a.b": 2, "a.b.c": 3}


BOMB = "a: &a [1]\n" + "".join(f"{c}: &{c} [*a, *a]\n" for c in "bcd")


@pytest.mark.parametrize(
    "document", ["", "{", "- a", BOMB, "x" * 10**6, "[" * 5000, "plugins: 3\nseeds: 9", None]
)
def test_a_sweep_file_that_is_none_leaves_the_rest(document: str | None) -> None:
    trial = Trial("a/b c", "run", "finished", {"objective.lam": 1.0, "training": 3}, {})
    made = repeat_document(trial, "s", document)
    assert made["name"] == "repeat-a-b-c"
    assert made["objective"] == {"lam": 1.0}
    assert made["seeds"] == [0]
    assert "training" not in made
