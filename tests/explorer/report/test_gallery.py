"""A few trials along the front, from one end to the other, each under what tells it from the rest."""

from __future__ import annotations

from pathlib import Path

from explorer.html import Page
from explorer.pareto import rank
from explorer.report.gallery import along, gallery
from explorer.results.store import ResultStore
from explorer.results.table import TrialTable
from explorer.store.schema import PICTURE_FILE, SAMPLES_FILE, At
from tests.app.made_sweep import read_table
from tests.hostile_stores import copy_store


def test_trials_along_the_front_hold_both_ends(table: TrialTable) -> None:
    picked = along(table.trials, 5)
    recalls = [t.metrics["recall"] for t in picked]
    assert len(picked) == 5
    assert recalls == sorted(recalls)
    everything = [t.metrics["recall"] for t in table]
    assert (recalls[0], recalls[-1]) == (min(everything), max(everything))
    assert len(along(table.trials[:3], 5)) == 3


def test_samples_are_those_of_the_reading_under_short_names(store_uri: str, table: TrialTable) -> None:
    titles = {}
    for at in (At("none", 1.0), At("obrs", 4.0)):
        drawn = []

        class Recorded(Page):
            def figure(self, figure, drawn=drawn):
                drawn.append(figure)
                return super().figure(figure)

        parts = gallery(Recorded("t"), ResultStore(store_uri), table, rank(table, at))
        assert "Samples along the front" in "".join(parts)
        titles[at] = [figure.layout.title.text for figure in drawn[:-1]]
        best = drawn[0]
        assert len(best.data[-1].x) == 120 / at.budget
    assert all("seed" in title or "·" in title for names in titles.values() for title in names)
    assert not any(trial.id in title for trial in table for names in titles.values() for title in names)


def test_images_are_shown_by_their_picture(store_uri: str, tmp_path: Path) -> None:
    file = copy_store(Path(store_uri.removeprefix("sqlite:///")).parent, tmp_path)
    store = ResultStore(f"sqlite:///{file}")
    table = read_table(store.uri).finished()
    for samples in tmp_path.glob(f"artifacts/*/artifacts/{SAMPLES_FILE}"):
        samples.unlink()
    parts = "".join(gallery(Page("t"), store, table, rank(table, At("none", 1.0))))
    shown = parts.count("<img src=")
    assert shown > 1
    assert parts.count("data:image/png;base64,") == parts.count("<figcaption><b>") == shown
    assert "eal images, then the model" in parts
    for picture in tmp_path.glob(f"artifacts/*/artifacts/{PICTURE_FILE}"):
        picture.write_bytes(b"<svg onload=alert(1)>")
    assert "<img" not in "".join(gallery(Page("t"), store, table, rank(table, At("none", 1.0))))
