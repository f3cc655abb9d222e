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
from explorer.sweep import list_presets, load_sweep
from explorer.sweep.sweep import METRICS, _Document, known_fields
from trainables.config import TrialConfig

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "sweep-file.md"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
TRIAL_SECTIONS = tuple(f.name for f in fields(TrialConfig) if f.name != "seed")
SECTIONS = tuple(section for section in known_fields() if section)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8") if page.exists() else ""


def prose_of(page: Path) -> str:
    """A page without its code blocks."""
    return FENCE.sub("", text_of(page))


# ── the reference of the sweep file


@cache
def tables() -> dict[str, dict[str, list[str]]]:
    """Rows of the reference by section ('' for the top level) and field: the cells of a table headed 'field'."""
    found: dict[str, dict[str, list[str]]] = {}
    for part in re.split(r"^## ", text_of(REFERENCE), flags=re.MULTILINE)[1:]:
        title = part.splitlines()[0].strip()
        lines = [line for line in part.splitlines() if line.startswith("|")]
        if lines and lines[0].startswith("| field |"):
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
            section = "" if title == "Top level" else title
            found[section] = {row[0].strip("`"): row for row in rows}
    return found


def kind_of(section: str) -> Any:
    """The dataclass behind a section of the file."""
    if section == "":
        return _Document
    return get_type_hints(TrialConfig if section in TRIAL_SECTIONS else _Document)[section]


def declared_default(section: str, name: str) -> Any:
    """A field's default as plain YAML values; ``MISSING`` if it has none."""
    (field,) = (f for f in fields(kind_of(section)) if f.name == name)
    if section == "" and name in SECTIONS:
        return {}  # a section left out has its own defaults
    value = field.default if field.default_factory is MISSING else field.default_factory()
    return list(value) if isinstance(value, tuple) else value


def literals(hint: Any) -> set[str]:
    """Names a field can take, if it takes names."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return {name for part in get_args(hint) for name in literals(part)}


EVERY_FIELD = [(section, name) for section, names in known_fields().items() for name in names]


def test_the_reference_has_every_field_and_no_other() -> None:
    described = {section: set(rows) for section, rows in tables().items()}
    assert described == {section: set(names) for section, names in known_fields().items()}


@pytest.mark.parametrize(("section", "name"), EVERY_FIELD, ids=lambda part: part or "top")
def test_defaults_and_names_are_those_of_the_code(section: str, name: str) -> None:
    _, _, default, meaning = tables()[section][name]
    declared = declared_default(section, name)
    if declared is MISSING:
        assert default == "the file's name"
    else:
        written = yaml.safe_load(default.strip("`"))
        assert written == declared
        assert type(written) is type(declared)
    names = literals(get_type_hints(kind_of(section))[name])
    assert names <= set(CODE.findall(meaning))


def test_what_fills_open_fields_is_what_the_code_fills_in() -> None:
    examples = (
        {"constraint": {"name": "spectral"}},
        {"model": {"name": "realnvp"}},
        {"model": {"name": "realnvp"}, "objective": {"name": "flow_gan"}},
    )
    filled: dict[str, set[Any]] = {}
    for example in examples:
        trial = load_sections(example)
        for path, value in trial.params().items():
            filled.setdefault(path, set()).add(value)
    told = 0
    for section in TRIAL_SECTIONS:
        for name, (*_, meaning) in tables()[section].items():
            values = re.findall(r"left open: `([^`]+)`", meaning)
            told += len(values)
            assert {yaml.safe_load(v) for v in values} <= filled.get(f"{section}.{name}", set())
    assert told >= 8


def load_sections(sections: dict[str, Any]) -> TrialConfig:
    hints = get_type_hints(TrialConfig)
    return TrialConfig(**{name: hints[name](**values) for name, values in sections.items()})


def test_every_metric_to_strive_for_is_named() -> None:
    named = text_of(REFERENCE).partition("They can be ")[2].partition(".\n")[0]
    assert set(CODE.findall(named)) == set(METRICS)


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
