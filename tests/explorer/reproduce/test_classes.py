"""The study of classes: computed once, on data of its own, with the sizes that the figures name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.reproduce import classes


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the study was asked for; it answers with nothing found."""
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    seen: list[dict[str, Any]] = []

    def study(images: Any, labels: Any, cache: Path, **sizes: int) -> tuple[list[Any], float]:
        seen.append({"images": images, "cache": cache, **sizes})
        return [], 0.9

    monkeypatch.setattr("trainables.studies.class_dropping.class_dropping", study)
    monkeypatch.setattr("trainables.sources.fashion_mnist.fashion_mnist", lambda part: (part, None))
    return seen


def test_each_dataset_is_studied_with_its_own_sizes(calls: list[dict[str, Any]], tmp_path: Path) -> None:
    fashion, digits = classes.fashion.__wrapped__(), classes.digits.__wrapped__()
    assert (fashion.samples, digits.samples) == (classes.SAMPLES, classes.FEW_SAMPLES)
    assert (fashion.found, fashion.accuracy) == ([], 0.9)
    first, second = calls
    assert first["images"] == "train"
    assert first["cache"] == tmp_path.resolve() / "measure" / "classifiers"
    assert second["images"].shape == (1797, 1, 8, 8)
    assert second["training"] == classes.FEW_TRAINING < 1797


def test_figures_of_one_process_share_a_study() -> None:
    assert classes.fashion() is classes.fashion()


def test_missing_data_are_the_users_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(part: str) -> None:
        raise ValueError("Fashion-MNIST was not found: install it")

    monkeypatch.setattr("trainables.sources.fashion_mnist.fashion_mnist", absent)
    with pytest.raises(UserError, match="Fashion-MNIST was not found: install it"):
        classes.fashion.__wrapped__()
