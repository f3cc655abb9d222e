"""What the runs of a sweep say of themselves on MLflow's pages: Markdown, which these render with its pictures."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

from explorer.results.catalogue import BASE, PARAMETERS, STAGE
from explorer.results.naming import cut, plain
from explorer.results.table import Scalar
from explorer.store.schema import THIS_RUN, THUMB_FILE

__all__ = ["LONGEST", "artifact_link", "described_sweep", "escaped", "fitted", "trial_description"]

LONGEST = 4900
"""Bytes of a description; MLflow servers of some age refuse tags of more than 5,000."""
_MOST_VALUE = 60
_SECTIONS = (
    "dataset",
    "model",
    "objective",
    "constraint",
    "generator_constraint",
    "training",
    "start",
    "seed",
)


def artifact_link(name: str) -> str:
    """Where MLflow's pages find an artifact of the run itself, also behind a prefix of their address."""
    return f"get-artifact?path={name}&run_uuid={THIS_RUN}"


def trial_description(
    name: str, params: Mapping[str, Scalar], varied: Collection[str], command: str, pictured: bool
) -> str:
    """A trial: its samples, its config in words with what varies in bold, and the command that repeats it.

    ``pictured``: whether it is over and has a picture. ``command``: empty where nothing repeats it.
    """
    picture = f"![samples]({artifact_link(THUMB_FILE)})" if pictured else ""
    head = f"**{escaped(name)}**" if name else ""
    lines = [line for line in (picture, head) if line]
    repeated = "It is trained once more, from the file among its artifacts, by"
    again = [repeated, _shell(command)] if command else []
    room = LONGEST - sum(len(line.encode()) + 2 for line in (*lines, *again))
    return "\n\n".join([*lines, fitted(_config(params, varied), room), *again])


def described_sweep(
    description: str,
    counts: str,
    picture: str,
    rows: Sequence[Sequence[str]],
    left_out: int,
    audit: Sequence[str],
    beside: str,
    command: str,
) -> str:
    """A sweep: what it is for, what became of it, the ``picture`` of its front, its trials, and the λ audit.

    ``rows``: headings, then trials. ``beside``: a link to all of them. What there is no room for is left out, trials
    before anything else.
    """
    head = [
        escaped(cut(description, 1000)),
        f"**{escaped(counts)}**",
        f"![front]({picture})" if picture else "",
        f"[All trials beside each other]({beside})" if beside else "",
    ]
    tail = [fitted([f"- {escaped(line)}" for line in audit], 1200), f"```\n{command}\n```"]
    room = LONGEST - sum(len(part.encode()) + 2 for part in (*head, *tail))
    return "\n\n".join(part for part in (*head, _table(rows, left_out, room), *tail) if part)


def _shell(command: str) -> str:
    """A command as a block, a line for every step of it: long lines make the whole page as wide."""
    return "```\n" + command.replace(" -r ", " \\\n  -r ").replace(" && ", " &&\n  ") + "\n```"


def _table(rows: Sequence[Sequence[str]], left_out: int, room: int) -> str:
    """A table of Markdown with as many rows as there are bytes for; the others are counted below it."""
    if len(rows) < 2:
        return ""
    lines = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    while len(lines) > 2:
        more = left_out + len(rows) + 1 - len(lines)
        told = "\n".join([*lines, *([f"\n… and {more} more"] if more else [])])
        if len(told.encode()) <= room:
            return told
        lines.pop()
    return ""


def _cell(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text).replace("|", "\\|")


def _config(params: Mapping[str, Scalar], varied: Collection[str]) -> list[str]:
    """A line per section: its member, and its fields."""
    told = {path: value for path, value in params.items() if path != STAGE}
    order = sorted(told, key=_place)
    lines = []
    for section, paths in groupby(order, key=lambda path: path.partition(".")[0]):
        words = ", ".join(_field(path, told[path], path in varied) for path in paths)
        lines.append(f"- {section.replace('_', ' ')}: {words}" if section != "seed" else f"- {words}")
    return lines


def _place(path: str) -> tuple[int, str, bool, str]:
    section, _, leaf = path.partition(".")
    known = _SECTIONS.index(section) if section in _SECTIONS else len(_SECTIONS)
    return known, section, leaf != "name", leaf


def _field(path: str, value: Scalar, varies: bool) -> str:
    _, _, leaf = path.partition(".")
    told = escaped(cut(plain(value), _MOST_VALUE))
    heading = "base" if path == BASE else PARAMETERS.get(path, escaped(leaf or path))
    words = told if leaf == "name" else f"{heading} {told}"
    return f"**{words}**" if varies else words


def fitted(lines: Sequence[str], room: int) -> str:
    """As many lines as there are bytes for; what is left out is counted."""
    kept: list[str] = []
    for line in lines:
        more = f"- … and {len(lines) - len(kept)} more"
        if sum(len(one.encode()) + 1 for one in (*kept, line, more)) > room:
            return "\n".join([*kept, more])
        kept.append(line)
    return "\n".join(kept)


def escaped(text: str) -> str:
    """Text that Markdown shows as it stands, on one line."""
    flat = "".join(c if c.isprintable() else " " for c in text)
    plain_html = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # MLflow's pages show a backslash before a dollar.
    return re.sub(r"([\\`*_{}\[\]()#+!|~])", r"\\\1", plain_html).replace("$", "&#36;")
