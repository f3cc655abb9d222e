"""``tradeoff presets`` lists what ships with the package and prints a preset as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from explorer.cli import command_line
from explorer.errors import UserError
from explorer.sweep import list_presets, load_sweep


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["presets", *arguments], catch_exceptions=False)


def test_every_preset_is_listed_with_its_description() -> None:
    lines = run().stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(list_presets())
    assert all(description.split(".")[0][:40] in run().stdout for description in list_presets().values())


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
