"""``tradeoff presets`` lists what ships with the package and prints a preset as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from explorer.cli import command_line
from explorer.errors import UserError
from explorer.sweep import list_presets, load_sweep
from explorer.sweep.document import preset_names


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["presets", *arguments], catch_exceptions=False)


def test_every_preset_is_listed_below_its_data_with_what_it_trains() -> None:
    shown = run().stdout
    listed = re.findall(r"^  (\S+) +(\w+) +((?:\d+ bases?, )?\d+ trials?)$", shown, re.MULTILINE)
    assert {name for name, _, _ in listed} == set(preset_names())
    assert ("digits-gan", "mlp_gan", "3 bases, 15 trials") in listed
    assert ("gaussians-8-search", "mlp_gan", "128 trials") in listed
    headings = re.findall(r"^(\w+)$", shown, re.MULTILINE)
    assert headings == ["gaussians8", "gaussians25", "digits", "mnist", "fashion_mnist", "cifar10", "celeba"]
    words = " ".join(shown.split())
    assert all(" ".join(description.split()) in words for description in list_presets().values())


def test_lines_keep_to_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert 80 < max(map(len, run().stdout.splitlines())) <= 100


def test_the_list_is_json_for_programs() -> None:
    found = json.loads(run("--json").stdout)
    keys = {"name": str, "description": str, "dataset": str, "model": str, "bases": int, "trials": int}
    for preset in found:
        assert {key: type(value) for key, value in preset.items()} == keys
        assert preset["trials"] >= 1
    assert {preset["name"] for preset in found} == set(preset_names())
    assert next(preset for preset in found if preset["name"] == "fashion-gan") == {
        "name": "fashion-gan",
        "description": list_presets()["fashion-gan"],
        "dataset": "fashion_mnist",
        "model": "dcgan",
        "bases": 3,
        "trials": 15,
    }


def test_one_preset_is_no_list() -> None:
    with pytest.raises(UserError, match="--json is for the list of presets"):
        run("demo", "--json")


def test_a_printed_preset_is_a_sweep_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(run("demo").stdout)
    copied, shipped = load_sweep(str(file)), load_sweep("demo")
    assert (copied.name, copied.sections, copied.space, copied.plan) == (
        "mine",
        shipped.sections,
        shipped.space,
        shipped.plan,
    )


def test_an_unknown_preset_names_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no preset is called 'demmo'; did you mean 'demo'\?"):
        run("demmo")
