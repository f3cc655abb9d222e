"""Bad sweep files: one sentence that names the fault and the nearest valid name; nothing is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.sweep import load_sweep

CASES = {
    "objektive.lam=1": "no 'objektive'; did you mean 'objective'?",
    "objective.lamda=1": "section 'objective' has no 'lamda'; did you mean 'lam'?",
    "objective.name=prr": "'objective.name' cannot be 'prr'; did you mean 'pr'?",
    "objective.lam=0": "λ must be positive and finite, got 0",
    "objective.lam=-2": "λ must be positive and finite, got -2",
    "objective.lam=.inf": "λ must be positive and finite, got inf",
    "refinement.budgets=[1, 0.5]": "budget K must be ≥ 1, got 0.5; use K=1 to accept every sample",
    "dataset.name=gaussian8": "did you mean 'gaussians8'?",
    "training.iterations=abc": "'training.iterations' must be a whole number, got 'abc'",
    "training.iterations=0": "training.iterations must be positive and finite, got 0",
    "training=3": "'training' must be a section with keys, got 3",
    "search.name=tpf": "did you mean 'tpe'?",
    "search.name=tpe": "set search.trials or --trials",
    "search.objectives={precison: max}": "did you mean 'precision'?",
    "search.objectives={precision: up}": "objective 'precision' must be 'max' or 'min', got 'up'",
    "search.objectives={}": "at least one objective",
    "seeds=0": "seeds must be",
    "seeds=[1, 1]": "seeds must be",
    "space=[]": "space is empty",
    "space={}": "space is empty",
    "space={objective.lam: []}": "space.objective.lam is empty",
    "space={objective.lam: 3}": "write [3] for one value",
    "space={objective.lamb: [1]}": "unknown path 'objective.lamb' in space; did you mean 'objective.lam'?",
    "space={objective.lam: [1, -1]}": "small λ for recall (at the point objective.lam = -1)",
    "space={objective.lam: {log_range: [0, 1], steps: 3}}": "must start above 0",
    "space={objective.lam: {range: [3, 1], steps: 3}}": "low must be below high",
    "space={objective.lam: {range: [1, 3]}}": "a grid needs 'steps'",
    "space={objective.lam: {range: [1, 3], step: 3}}": "unknown key 'step'",
    "space={objective.lam: {range: [1, 3], steps: 0}}": "steps of space.objective.lam.range must be a whole number ≥ 1",
    "space={objective.lam: {}}": "exactly one of choice, range, log_range",
    "space={constraint.lipschitz: [1, 2]}": "changes nothing",
    "space={objective.name: [mle]}": "needs a likelihood, which model 'mlp_gan' lacks; use model realnvp",
    "space={dataset: [gaussians8]}": "space.dataset is a section",
    "space={objective: [{name: pr}], objective.lam: [1]}": "varies both 'objective' and 'objective.lam'",
    "resources.cpus=.nan": "resources.cpus must be positive",
    "resources.pack=0": "resources.pack must be ≥ 1",
    "name=a b": "a sweep's name is letters",
    "nonsense": "--set takes path=value",
}


@pytest.mark.parametrize("assignment", CASES)
def test_each_fault_gets_its_sentence(assignment: str) -> None:
    with pytest.raises(UserError) as caught:
        load_sweep("demo", [assignment])
    assert CASES[assignment] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_sources_name_the_nearest_preset(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"neither a file nor a preset; did you mean 'demo'\?"):
        load_sweep("demmo")
    with pytest.raises(UserError, match="there is no sweep file"):
        load_sweep(str(tmp_path / "absent.yaml"))


def test_broken_yaml_says_where(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text("dataset: {name: gaussians8\nspace: [")
    with pytest.raises(UserError, match=r"not valid YAML at line \d"):
        load_sweep(str(file))
    file.write_text("- just\n- a list\n")
    with pytest.raises(UserError, match="must hold keys"):
        load_sweep(str(file))


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "binary.yaml"
    file.write_bytes(b"\xff\xfe\x00space")
    with pytest.raises(UserError, match="cannot be read as UTF-8"):
        load_sweep(str(file))
