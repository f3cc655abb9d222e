"""A sample of ``benchmarks/hostile_stores.py``: every reading command over stores in which others wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile_commands import Hostile, alive
from tests.hostile_stores import good_store
from tests.hostile_values import ALERT


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    folder: Path = tmp_path_factory.mktemp("stores")
    return Hostile(good_store(folder / "good"), folder)


@pytest.mark.parametrize("seed", [3, 7, 9])
def test_commands_read_what_can_be_read(hostile: Hostile, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(hostile.folder / "home"))
    mutations, outcomes = hostile.run(seed, with_page=seed == 3)
    assert mutations
    assert [outcome for outcome in outcomes if outcome.violation] == []
    assert {outcome.code for outcome in outcomes} <= {0, 2}


def test_what_would_run_in_a_page_is_found() -> None:
    for harmful in (
        f"<script>{ALERT}</script>",
        f"<img src=x onerror={ALERT}>",
        f"<a href='javascript:{ALERT}'>x</a>",
    ):
        assert list(alive(f"<p>{harmful}</p>"))
    assert not list(alive(f"<p>&lt;script&gt;{ALERT}</p><script>x = '{ALERT}'</script>"))
