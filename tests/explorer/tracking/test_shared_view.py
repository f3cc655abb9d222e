"""Views that MLflow's pages share: one tag each, refused by nobody's traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.store.connection import Connection
from explorer.tracking.shared_view import LONGEST, share_view
from tests.stores import empty_store

TAG = "mlflow.sharedViewState.mine"


def test_a_view_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    assert share_view(uri, "0", "mine", {"a": "λ"})
    assert share_view(uri, "0", "mine", {"b": 1})
    assert Connection(uri).client.get_experiment("0").tags[TAG] == '{"b":1}'


def test_a_view_too_long_for_a_tag_is_not_kept(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    assert not share_view(uri, "0", "mine", {"a": "x" * LONGEST})
    assert TAG not in Connection(uri).client.get_experiment("0").tags


def test_a_store_that_refuses_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException

    def refused(*arguments: Any) -> None:
        raise MlflowException("you may only read")

    monkeypatch.setattr(MlflowClient, "set_experiment_tag", refused)
    assert not share_view(empty_store(tmp_path), "0", "mine", {})
