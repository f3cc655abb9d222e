"""What a sweep's run says of the sweep can be read back."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from explorer.launch.papers import papers
from explorer.store.schema import CATALOGUE_FILE, SWEEP_FILE
from explorer.sweep import load_sweep
from explorer.sweep.sweep import build_sweep
from tests.explorer.launch.small import small_sweep

MEMBER = """
from dataclasses import dataclass
from trainables.objectives.hinge import Hinge

@dataclass(frozen=True)
class Own(Hinge):
    '''A loss of one's own.'''
    name = "%s"
"""


def test_the_sweep_file_is_a_sweep_again_and_metrics_are_told(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, description="λ, above all")
    kept = papers(sweep)
    assert set(kept) == {SWEEP_FILE, CATALOGUE_FILE}
    again = build_sweep(yaml.safe_load(kept[SWEEP_FILE]))
    assert again.document == sweep.document
    assert papers(again) == kept, "equal sweeps have equal papers"
    assert "precision" in {entry["key"] for entry in json.loads(kept[CATALOGUE_FILE])["metrics"]}


def test_papers_do_not_depend_on_what_else_the_process_has_run(tmp_path: Path) -> None:
    alone = papers(small_sweep(tmp_path))
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"papers_{name}.py").write_text(MEMBER % name)
        (folder / "s.yaml").write_text(f"plugins: [papers_{name}]\nspace: {{objective.name: [{name}]}}\n")
        told = json.loads(papers(load_sweep(folder / "s.yaml"))[CATALOGUE_FILE])["fields"]
        assert {key.split(".")[1] for key in told} == {name}
    assert papers(small_sweep(tmp_path)) == alone
