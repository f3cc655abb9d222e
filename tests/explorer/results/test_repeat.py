"""A stored trial as a sweep file: the real loader takes it, and it names the same trial."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from explorer.results.repeat import (
    SECTIONS,
    can_repeat,
    config_yaml,
    repeat_document,
    repeat_name,
    repeat_yaml,
)
from explorer.results.table import Trial
from explorer.store.schema import decode, encode
from explorer.sweep.document import load_sweep
from trainables import config as trial_config
from trainables.config import TrialConfig

PRESETS = ("demo", "digits-gan", "celeba-biggan-small", "mnist-glow-small")


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
    for one in [config, *bases]:
        trial = stored(one)
        file = tmp_path / f"{repeat_name(trial)}.yaml"
        file.write_text(repeat_yaml(trial, sweep.name, document), encoding="utf-8")
        again = load_sweep(file)
        (own,) = again.search.probes(again.space)
        assert [again.trial(own, seed).identity() for seed in again.seeds] == [trial.id]
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


def test_the_sections_are_those_that_name_a_trial() -> None:
    assert trial_config.SECTIONS == SECTIONS


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
