"""Modules with members beside a sweep file are found, imported, or refused in one sentence; none comes unasked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.sweep import load_sweep
from explorer.sweep.plugins import ALL_FAMILIES, Plugin, find_plugins, import_plugins
from trainables.objectives import OBJECTIVES

LOUD = """
from dataclasses import dataclass
from trainables.objectives.hinge import Hinge

@dataclass(frozen=True)
class Loud(Hinge):
    name = "loud"
    gain: float = 2.0
"""


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    before = set(sys.modules)
    names = {family.noun: set(family.names()) for family in ALL_FAMILIES}
    yield
    for family in ALL_FAMILIES:
        for name in set(family.names()) - names[family.noun]:
            family.forget(name)
    for name in set(sys.modules) - before:
        if hasattr(sys.modules[name], "__tradeoff_plugin__"):
            del sys.modules[name]


def sweep_file(folder: Path, plugin: str = "mine_a", body: str = LOUD, text: str = "") -> str:
    (folder / f"{plugin}.py").write_text(body)
    (folder / "s.yaml").write_text(f"plugins: [{plugin}]\nspace: {{objective.name: [loud, pr]}}\n{text}")
    return str(folder / "s.yaml")


def test_a_file_beside_the_sweep_file_brings_its_members(tmp_path: Path) -> None:
    sweep = load_sweep(sweep_file(tmp_path))
    loud, pr = (sweep.trial(point, 0) for point in sweep.space.grid())
    assert (loud.objective.name, loud.objective.plain()["gain"]) == ("loud", 2.0)
    assert sweep.plugins == (Plugin("mine_a", str(tmp_path / "mine_a.py")),)
    assert loud.identity() != pr.identity()
    assert sweep.document["plugins"] == ["mine_a"]


def test_its_fields_are_axes_and_are_validated_like_ours(tmp_path: Path) -> None:
    file = sweep_file(tmp_path)
    sweep = load_sweep(file, ["space={objective.name: [loud], objective.gain: [1, 3]}"])
    assert [sweep.trial(p, 0).objective.plain()["gain"] for p in sweep.space.grid()] == [1.0, 3.0]
    with pytest.raises(UserError, match=r"'objective\.gain' must be a number, got 'much'"):
        load_sweep(file, ["space={objective.name: [loud]}", "objective.gain=much"])
    with pytest.raises(UserError, match="objective 'loud' has no 'pitch', only likelihood, warmup, gain"):
        load_sweep(file, ["space={objective.name: [loud]}", "objective.pitch=1"])


def test_a_changed_file_takes_the_place_of_the_former(tmp_path: Path) -> None:
    for folder, gain in (("a", "2.0"), ("b", "5.0")):
        (tmp_path / folder).mkdir()
        sweep = load_sweep(sweep_file(tmp_path / folder, body=LOUD.replace("2.0", gain)))
        assert sweep.trial(next(iter(sweep.space.grid())), 0).objective.plain()["gain"] == float(gain)
    assert load_sweep(str(tmp_path / "b" / "s.yaml")).plugins[0].path == str(tmp_path / "b" / "mine_a.py")


def test_packages_paths_and_installed_modules_are_found(tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "__init__.py").write_text("from lab.parts import GAIN\n" + LOUD)
    (tmp_path / "lab" / "parts.py").write_text("GAIN = 1\n")
    (tmp_path / "one.py").write_text("")
    found = find_plugins(["lab", "one.py", "json.decoder"], tmp_path)
    assert [plugin.module for plugin in found] == ["lab", "one", "json.decoder"]
    assert [plugin.path for plugin in found] == [str(tmp_path / "lab"), str(tmp_path / "one.py"), None]
    import_plugins(found[:1])
    assert OBJECTIVES["loud"].__module__ == "lab"


BAD = {
    "import nothing_like_it": "cannot be imported: ModuleNotFoundError: No module named 'nothing_like_it'",
    "def broken(:": "cannot be imported at line 1: SyntaxError",
    "x = 1 / 0": "cannot be imported: ZeroDivisionError: division by zero",
    "x = 1": "defines no member of any family (dataset, model, objective",
    LOUD.replace("@dataclass(frozen=True)", "@dataclass"): "cannot be imported: TypeError",
    LOUD.replace(
        "@dataclass(frozen=True)\n", ""
    ): "must be a frozen dataclass; put @dataclass(frozen=True) above it",
    LOUD.replace('"loud"', '"hinge"'): "objective 'hinge' exists already",
    LOUD.replace('"loud"', '"not a name"'): "must have a name made of letters, digits and '_'",
    "from dataclasses import dataclass\nfrom trainables.models import Model\n"
    "@dataclass(frozen=True)\nclass Half(Model):\n    name = 'half'\n": (
        "model 'half' must define build_critic, build_generator"
    ),
}


@pytest.mark.parametrize("body", BAD)
def test_what_cannot_be_a_plugin_is_refused_in_one_sentence(tmp_path: Path, body: str) -> None:
    with pytest.raises(UserError) as refusal:
        load_sweep(sweep_file(tmp_path, "mine_bad", body))
    assert str(refusal.value).startswith("plugin 'mine_bad'")
    assert BAD[body] in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_plugin_that_is_not_there_or_hides_a_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("plugins: [absent]\n")
    with pytest.raises(UserError, match=r"plugin 'absent' was not found: there is no absent.py beside"):
        load_sweep(str(tmp_path / "s.yaml"))
    with pytest.raises(UserError, match="plugin 'json' would hide a module of that name; rename the file"):
        load_sweep(sweep_file(tmp_path, "json"))


def test_no_family_and_no_reader_imports_a_plugin_unasked(tmp_path: Path) -> None:
    # A module on the path that would make itself heard, in the folder from which all this is imported.
    (tmp_path / "mine_b.py").write_text("raise SystemExit(7)\n" + LOUD)
    code = (
        "from explorer.sweep.plugins import ALL_FAMILIES\n"
        "import explorer.results, explorer.report, explorer.figures, explorer.pareto, app.main, sys\n"
        "for family in ALL_FAMILIES: [family[name] for name in family]\n"
        "sys.exit('mine_b' in sys.modules or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0
