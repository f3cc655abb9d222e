"""Sweep files and presets are read as people mean them, with changes from the command line laid over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from explorer.errors import UserError
from explorer.sweep import list_presets, load_sweep
from explorer.sweep.document import preset_names, preset_text
from explorer.sweep.loading import LARGEST_BYTES
from tests.explorer.sweep.refusal import refusal


def test_unknown_sources_name_the_nearest_preset(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"neither a file nor a preset; did you mean 'demo'\?"):
        load_sweep("demmo")
    with pytest.raises(UserError, match="there is no sweep file"):
        load_sweep(str(tmp_path / "absent.yaml"))


def test_a_sweep_knows_where_it_was_read_from(tmp_path: Path) -> None:
    file = tmp_path / "ring.yaml"
    file.write_text("seeds: 2\n")
    assert load_sweep(file).file == str(file)
    assert load_sweep("demo").file == "demo"
    assert load_sweep({"seeds": 2}).file == ""
    assert load_sweep(file) == load_sweep({"name": "ring", "seeds": 2})


def test_broken_yaml_says_where(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text("dataset: {name: gaussians8\nspace: [")
    with pytest.raises(UserError, match=r"not valid YAML at line \d"):
        load_sweep(str(file))
    file.write_text("- just\n- a list\n")
    with pytest.raises(UserError, match="must hold keys"):
        load_sweep(str(file))
    assert "--set training is not valid YAML" in refusal("training={")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "binary.yaml"
    file.write_bytes(b"\xff\xfe\x00space")
    with pytest.raises(UserError, match="cannot be read as UTF-8"):
        load_sweep(str(file))


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    large = tmp_path / "large.yaml"
    large.write_text("#" * (LARGEST_BYTES + 1))
    told = {
        str(folder): "must be a file, got the folder",
        str(large): "must hold at most 256 KiB",
        "a\0b.yaml": r"the control character U\+0000",
        f"{'x' * 5000}.yaml": "cannot be read as UTF-8 text: File name too long",
        "y" * 5000: "is neither a file nor a preset",
        "~nobody_here/x.yaml": "there is no sweep file",
    }
    for source, words in told.items():
        with pytest.raises(UserError, match=words):
            load_sweep(source)


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "empty.yaml"
    file.write_text("")
    with pytest.raises(UserError, match="must hold keys such as dataset and space, got nothing"):
        load_sweep(str(file))


def test_a_file_is_named_after_itself(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("space:\n  objective.lam: [1, 10]\n")
    assert load_sweep(str(file)).name == "mine"
    file.write_text("name: other\nspace:\n  objective.lam: [1, 10]\n")
    assert load_sweep(str(file)).name == "other"


def test_a_file_needs_no_ending_if_it_is_there(tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text("seeds: 3\n")
    assert load_sweep(str(file)).seeds == (0, 1, 2)


def test_presets_are_listed_by_name_with_their_descriptions() -> None:
    assert list(list_presets()) == preset_names() == sorted(preset_names())
    for preset, description in list_presets().items():
        assert description == yaml.safe_load(preset_text(preset))["description"].strip()


def test_exponents_are_numbers() -> None:
    sweep = load_sweep("demo", ["training.generator_lr=1e-4", "training.critic_lr=2E-3"])
    trial = sweep.trial({}, 0)
    assert (trial.training.generator_lr, trial.training.critic_lr) == (1e-4, 2e-3)


def test_assignments_reach_the_space_and_seeds() -> None:
    sweep = load_sweep(
        "demo", ["space={objective.lam: [1]}", "space.training.ema=[0.9, 0.99]"], trials=3, seeds=2
    )
    assert len(list(sweep.space.grid())) == 2
    assert sweep.seeds == (0, 1)
    assert sweep.search.trials == 3


def test_an_assignment_makes_the_sections_it_needs_and_keeps_the_rest() -> None:
    sweep = load_sweep(
        "demo", ["evaluation.features.name=identity", "evaluation.k=4", "stopping.name=plateau"]
    )
    assert (sweep.plan.evaluation.k, sweep.plan.evaluation.samples) == (4, 1000)
    assert sweep.stopping.name == "plateau"


def test_a_misshapen_assignment_is_told() -> None:
    assert refusal("nonsense") == "--set takes path=value, got 'nonsense'"
    assert refusal("=3") == "--set takes path=value, got '=3'"
    assert "set space itself to replace it whole" in refusal("space.training.ema=[0.9]"), "demo's is a list"


def test_an_assignment_into_what_has_no_keys_is_refused() -> None:
    assert refusal("space=abc", "space.x=1") == (
        "'space.x' cannot be set: this sweep's space is 'abc'; set space itself to replace it whole"
    )
    assert "'refinement' is [{'name': 'obrs'}] and has no keys" in refusal(
        "refinement=[{name: obrs}]", "refinement.budgets=[1]"
    )
    assert "set name itself to replace it whole" in refusal("name.x.y=1")
    assert "the path of a change has at most 20 parts, got 5001" in refusal("a." * 5000 + "b=1")


def test_a_mapping_is_a_document_and_a_path_a_file(tmp_path: Path) -> None:
    given = {"name": "given", "space": {"objective.lam": np.array([1.0, 5.0])}, "seeds": (3, 4)}
    sweep = load_sweep(
        given, {"training.iterations": np.int64(8), "space.training.generator_lr": (1e-3, 1e-4)}
    )
    assert (sweep.name, sweep.seeds, sweep.sections["training"]) == ("given", (3, 4), {"iterations": 8})
    assert len(list(sweep.space.grid())) == 4
    assert yaml.safe_load(yaml.safe_dump(dict(sweep.document)))["seeds"] == [3, 4]
    file = tmp_path / "beside.yaml"
    file.write_text("space: {objective.lam: [1]}")
    assert load_sweep(file, seeds=range(2)).seeds == (0, 1)
    assert load_sweep({"space": {"objective.lam": [1]}}).name == "sweep"


def test_a_mapping_is_refused_like_a_file() -> None:
    with pytest.raises(UserError, match="unknown key 'spaec'"):
        load_sweep({"spaec": {}})
    with pytest.raises(
        UserError, match="'space' must be made of numbers, text, lists and mappings, got function"
    ):
        load_sweep({"space": lambda: None})
