"""The documentation stays true: fields and defaults, presets, commands, examples and links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import typer
import yaml

from explorer.cli import command_line
from explorer.search import SEARCHES
from explorer.stopping import STOPPERS
from explorer.sweep import list_presets, load_sweep
from explorer.sweep.plugins import ALL_FAMILIES
from explorer.sweep.resources import ResourceSpec, TrackingSpec
from explorer.sweep.sweep import Document
from trainables.config import FAMILIES, TrainingConfig
from trainables.evaluation.settings import EvaluationConfig
from trainables.extractors import EXTRACTORS
from trainables.family import Config
from trainables.metrics import METRICS
from trainables.models.mlp_gan import SIZES
from trainables.refinements import REFINEMENTS

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "sweep-file.md"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8") if page.exists() else ""


def prose_of(page: Path) -> str:
    """A page without its code blocks."""
    return FENCE.sub("", text_of(page))


# ── the reference of the sweep file

FAMILY_TABLES = {
    **FAMILIES,
    "refinement": REFINEMENTS,
    "extractors": EXTRACTORS,
    "metrics": METRICS,
    "search": SEARCHES,
    "stopping": STOPPERS,
}
"""Headings of the tables of members, and the family behind each."""
FIELD_TABLES = {
    "Top level": Document,
    "training": TrainingConfig,
    "evaluation": EvaluationConfig,
    "resources": ResourceSpec,
    "tracking": TrackingSpec,
}
"""Headings of the tables of fields, and the config behind each."""


@cache
def tables() -> dict[str, list[list[str]]]:
    """Rows of the first table under every heading of the reference, its head first."""
    found: dict[str, list[list[str]]] = {}
    for part in re.split(r"^##+ ", text_of(REFERENCE), flags=re.MULTILINE)[1:]:
        lines = [line for line in part.splitlines() if line.startswith("|")]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        found[part.splitlines()[0].strip()] = [rows[0], *rows[2:]] if rows else []
    return found


def plain_default(field: Any) -> Any:
    """A field's default as plain YAML values; ``MISSING`` if it has none."""
    if field.default is MISSING and field.default_factory is MISSING:
        return MISSING
    value = field.default if field.default_factory is MISSING else field.default_factory()
    if isinstance(value, Config):
        return value.plain()
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("heading", FIELD_TABLES)
def test_tables_of_fields_are_those_of_the_code(heading: str) -> None:
    head, *rows = tables()[heading]
    assert head[0] == "field"
    declared = {f.name: plain_default(f) for f in fields(FIELD_TABLES[heading])}
    assert [row[0].strip("`") for row in rows] == list(declared)
    for name, _, default, _ in rows:
        expected = declared[name.strip("`")]
        if expected is MISSING:
            assert default == "the file's name"
            continue
        written = yaml.safe_load(default.strip("`"))
        assert written == expected, name
        assert type(written) is type(expected), name


FIELD = re.compile(r"`(\w+)`(?: = `([^`]*)`)?")


@pytest.mark.parametrize("heading", FAMILY_TABLES)
def test_tables_of_members_are_those_of_the_code(heading: str) -> None:
    family = FAMILY_TABLES[heading]
    head, *rows = tables()[heading]
    assert head == ["member", "fields", "meaning"]
    written = {row[0].strip("`"): dict(FIELD.findall(row[1])) for row in rows}
    assert set(written) == set(family)
    assert next(iter(written)) == family.default or heading == "metrics", "the default stands first"
    for name, told in written.items():
        kind = family[name]
        assert set(told) == set(kind.keys()), name
        for field in kind.declared():
            assert yaml.safe_load(told[field.name]) == plain_default(field), f"{name}.{field.name}"
            names = literals(get_type_hints(kind)[field.name])
            assert names <= set(CODE.findall({r[0].strip("`"): r[2] for r in rows}[name])), field.name


def literals(hint: Any) -> set[str]:
    """Names a field can take, if it takes names."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return {name for part in get_args(hint) for name in literals(part)}


def test_every_key_that_is_measured_is_named_beside_its_metric() -> None:
    for name, _, meaning in tables()["metrics"][1:]:
        kind = METRICS[name.strip("`")]
        values = {word for field in kind.declared() for word in literals(get_type_hints(kind)[field.name])}
        told = [word for word in CODE.findall(meaning) if word not in values]
        assert told == [entry.key for entry in kind.entries]


def test_every_group_of_entry_points_is_named() -> None:
    page = text_of(ROOT / "docs" / "own-members.md")
    named = set(re.findall(r"`(tradeoff\.[a-z]+)`", page))
    assert named == {family.group for family in ALL_FAMILIES}


def test_what_sizes_stand_for_is_what_the_code_spells_out() -> None:
    prose = text_of(REFERENCE)
    for size, widths in SIZES.items():
        dashed = ["-".join(map(str, widths[part])) for part in ("generator", "critic")]
        assert re.search(rf"`{size}` {dashed[0]}\s+and\s+{dashed[1]}", prose), size


def test_every_preset_is_described_and_no_other() -> None:
    section = text_of(REFERENCE).partition("## Presets")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE)) == set(list_presets())


EXAMPLES = [body for language, body in FENCE.findall(text_of(REFERENCE)) if language == "yaml"]


@pytest.mark.parametrize("body", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_are_valid_sweeps(body: str, tmp_path: Path) -> None:
    file = tmp_path / "example.yaml"
    file.write_text(body, encoding="utf-8")
    assert load_sweep(str(file)).space.paths()


def test_the_worked_example_has_the_trials_it_claims(tmp_path: Path) -> None:
    file = tmp_path / "ring.yaml"
    file.write_text(EXAMPLES[0], encoding="utf-8")
    sweep = load_sweep(str(file))
    claimed = int(re.search(r"= (\d+) trials", text_of(REFERENCE))[1])  # type: ignore[index]
    assert len({t.identity() for point in sweep.space.grid() for t in sweep.repeats(point)}) == claimed


# ── commands


CALL = re.compile(r"(?:^|&&|\|\||[|;])\s*(?:[$%]\s+)?(?:[A-Z_]+=\S+\s+)*(?:\S*/)?tradeoff\s")


def quoted_commands(page: Path) -> Iterator[tuple[list[str], bool]]:
    """Arguments of every ``tradeoff …`` in a page, and whether it stands in a code block: there it is meant to run."""
    blocks = [
        body.replace("\\\n", " ") for language, body in FENCE.findall(text_of(page)) if language != "yaml"
    ]
    lines = [(line, True) for body in blocks for line in body.splitlines()]
    spans = [(span, False) for span in CODE.findall(prose_of(page))]
    for line, runs in [*lines, *spans]:
        if CALL.search(line):
            for arguments in _calls(shlex.split(line, comments=True)):
                yield arguments, runs


def _calls(words: list[str]) -> Iterator[list[str]]:
    """Split at shell operators; keep the parts that call ``tradeoff``, whatever environment precedes it."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word in ("|", "&&", "||", ";", "&"):
            parts.append([])
        else:
            parts[-1].append(word)
    for part in parts:
        while part and (part[0] in ("$", "%") or re.fullmatch(r"[A-Z_]+=.*", part[0])):
            part = part[1:]
        if part and Path(part[0]).name == "tradeoff":
            end = next((i for i, word in enumerate(part) if word.startswith(("<", ">"))), len(part))
            yield part[1:end]


@cache
def commands() -> dict[str, Any]:
    """Subcommands by name, as click sees them."""
    group: Any = typer.main.get_command(command_line)
    return dict(group.commands)


def is_usage(arguments: list[str]) -> bool:
    """Whether words stand for something else: ``N``, ``[--json]``, ``…``."""
    return any(re.fullmatch(r"[A-Z|]+", word) or word[:1] in "[…" or word[-1:] in "]…" for word in arguments)


COMMANDS = [(page, *command) for page in PAGES for command in quoted_commands(page)]


@pytest.mark.parametrize(
    ("page", "arguments", "runs"), COMMANDS, ids=[f"{page.name}: {shlex.join(a)}" for page, a, _ in COMMANDS]
)
def test_quoted_commands_exist(page: Path, arguments: list[str], runs: bool) -> None:
    name, *rest = arguments
    if name in ("--help", "-h"):
        return
    assert name in commands(), f"{page.name} quotes `tradeoff {name}`, which does not exist"
    command = commands()[name]
    if hasattr(command, "commands"):  # a group, whose first word may be an address
        named = rest and rest[0] in command.commands
        command = command.commands[rest.pop(0) if named else "address"]
    known = {option for p in command.params for option in (*p.opts, *p.secondary_opts)} | {"--help", "-h"}
    used = {part.partition("=")[0] for word in rest for part in word.strip("[]…").split("|")}
    unknown = {word for word in used if word.startswith("-")} - known
    assert not unknown, f"{page.name} quotes `tradeoff {name} {unknown.pop()}`, an option that does not exist"
    if runs and not is_usage(rest) and not {"--help", "-h"} & used:
        command.make_context(name, list(rest))  # parses, and refuses missing or surplus arguments


# ── links


def slug(heading: str) -> str:
    """The anchor GitHub gives a heading."""
    plain = re.sub(r"[^\w\s-]", "", heading.strip().lower())
    return re.sub(r"\s", "-", plain)


def anchors(page: Path) -> set[str]:
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)}


def links(page: Path) -> list[str]:
    """Relative targets of Markdown links and images and of HTML ones."""
    prose = CODE.sub("", prose_of(page))
    targets = re.findall(r"\]\(\s*<?([^)\s>]+)", prose) + re.findall(r"(?:src|href)=\"([^\"]+)\"", prose)
    return [target for target in targets if not re.match(r"[a-z][a-z0-9+.-]*:", target)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}, which does not exist"
        assert ROOT in (file, *file.parents), f"{page.name} links to {target}, outside the repository"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{page.name} links to {target}, a heading that does not exist"


def test_the_index_names_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    assert {*links(index)} == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}


NAMED = re.compile(r"(?:trainables|explorer|app|tests|benchmarks|docs|docker)/[\w./-]*\w(?:::\w+)?")


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    for span in CODE.findall(prose_of(page)):
        if NAMED.fullmatch(span):
            file, _, name = span.partition("::")
            assert (ROOT / file).exists(), span
            assert not name or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), span
