"""The sweep file of a sweep, by its experiment."""

from __future__ import annotations

import pytest

from app.views.sweep_file import document
from explorer.results.store import ResultStore
from tests.app.made_sweep import DOCUMENT, MADE, TWIN
from tests.app.running import run_part

pytestmark = pytest.mark.usefixtures("store")


def part(label: str, wishes: dict) -> None:
    from app.views.sweep_file import sweep_file_view
    from tests.app.scenes import scene_here

    sweep_file_view(scene_here(label, wishes))


def test_sweeps_of_one_name_have_a_file_each(store_uri: str) -> None:
    infos = [info for info in ResultStore(store_uri).sweeps() if info.name == TWIN]
    assert len(infos) == 2
    assert all(document(store_uri, TWIN, info.experiment_id) == DOCUMENT for info in infos)


def test_what_is_not_there_is_none(store_uri: str) -> None:
    assert document(store_uri, "nothing", "0") is None


def test_it_is_folded_and_can_be_taken_away() -> None:
    app = run_part(part, label=MADE, wishes={})
    assert not app.exception
    assert not app.expander[0].proto.expanded
    assert app.code[0].value == DOCUMENT.rstrip()
