"""Features that need a file are looked for before anything is trained, and not where a sweep is only planned."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from explorer.errors import UserError
from explorer.launch.earlier import Earlier
from explorer.launch.features import check_features
from explorer.launch.plan import Plan, make_plan
from explorer.launch.run import run_sweep
from explorer.launch.slots import Slots
from explorer.sweep import Sweep, load_sweep


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without weights."""
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    return tmp_path


def planned(source: str, *changes: str) -> tuple[Sweep, Plan]:
    sweep = load_sweep(source, changes)
    return sweep, make_plan(sweep, Earlier(), Slots(2, gpu=False))


def test_a_launch_without_the_weights_is_refused_and_leaves_nothing(home: Path) -> None:
    heard: list[Plan] = []
    with pytest.raises(
        UserError, match=r"evaluation\.features 'inception' cannot be had here: the weights of"
    ):
        run_sweep(load_sweep("cifar10-biggan-small"), Console(quiet=True), None, heard.append)
    assert [(plan.bases, plan.trials) for plan in heard] == [(2, 6)], "it was planned"
    assert not (home / "mlflow.db").exists()


def test_a_file_that_is_named_is_opened(home: Path) -> None:
    file = home / "weights.pth"
    file.write_text("no network")
    with pytest.raises(UserError, match="must hold a state dict of tensors"):
        check_features(
            *planned("celeba-biggan-small", f"evaluation.features={{name: vgg16, weights: {file}}}")
        )


@pytest.mark.parametrize("features", ["classifier", "identity"])
def test_features_without_a_file_pass(features: str) -> None:
    check_features(*planned("cifar10-biggan-small", f"evaluation.features={features}"))
    check_features(*planned("demo"))
