"""Commands lead to the store that is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.store.options import store_option


def test_the_default_store_goes_without_saying(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    assert store_option(f"sqlite:///{tmp_path / 'mlflow.db'}") == ""
    other = tmp_path / "a b" / "mlflow.db"
    assert store_option(f"sqlite:///{other}") == f" --tracking-uri 'sqlite:///{other}'"
    assert "secret" not in store_option("http://me:secret@host:5000")
