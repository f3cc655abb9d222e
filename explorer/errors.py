"""The one error that is the user's to fix, and values short enough to stand in its sentence."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["LONGEST_SENTENCE", "UserError", "brief", "root_cause", "shown", "telling"]

_USER = re.compile(r"(?:(?<=:)(?<!sqlite:)|(?<![^\s'\"(=]))//+(?:[^\s'\"/:@]+:(?!\d+/)[^\s'\"]*|[^\s'\"/]+)@")
"""What stands before the host of an address."""
_BARE = re.compile(r"(?<![^\s'\"(=])((?:optuna:)?+)[^\s'\"(=/:@]+:(?!//|\d+/)[^\s'\"]*@")
"""The same where somebody left out the slashes; no path of a file begins so."""
_OPTION = re.compile(
    r"([?&;][^\s'\"=&;]*(?:pass|pwd|secret|token|key)[^\s'\"=&;]*=)[^\s'\"&;#]*", re.IGNORECASE
)
"""Options of an address whose names say that nobody is to see them."""
LONGEST_SENTENCE = 600
"""Characters of a refusal: a screen's few lines, with room for the command's name before it."""


class UserError(Exception):
    """Bad input. The message is one sentence: the invariant, the value, the remedy.

    Whatever the input holds, it is one printable line of at most ``LONGEST_SENTENCE`` characters; what is too long
    is cut in its middle, since remedies stand at the end. An address in it, ours or of a library's complaint, loses its
    user, its password and its tokens. The command line prints it without a traceback and exits with code 2.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(brief(_without_secrets(sentence), LONGEST_SENTENCE))


@contextmanager
def telling(sentence: Callable[[Exception], str]) -> Iterator[None]:
    """Whatever is raised inside is the user's to fix, and told by that sentence; what is told already stays."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        raise UserError(sentence(error)) from error


def shown(value: object, room: int = 60) -> str:
    """A value as Python writes it, cut to ``room`` characters: ``[1, 2, 3, … 8, 9]``; its kind, where it cannot be."""
    try:
        return brief(repr(value), room)
    except Exception:  # nested too deep, more digits than Python writes, or another's code
        return f"a value of {brief(type(value).__name__)} that cannot be written"


def brief(text: str, room: int = 60) -> str:
    """Text as one printable line, cut to ``room`` characters: two thirds of its head, one of its tail."""
    line = _printable(text)
    if len(line) <= room:
        return line
    tail = (room - 3) // 3
    return f"{line[: room - 3 - tail].rstrip()} … {line[-tail:].lstrip()}"


def root_cause(error: BaseException, room: int = 90) -> str:
    """What lies at the bottom of an error, as a part of a sentence: ``no such table: metrics``."""
    while deeper := error.__cause__ or (None if error.__suppress_context__ else error.__context__):
        error = deeper
    if isinstance(error, shutil.Error):  # a list of (from, to, why)
        error = OSError(0, str(error.args[0][0][2]).rpartition("] ")[2].partition(": '")[0])
    said = isinstance(error, OSError) and error.strerror  # its text repeats the path
    lines = str(said or error).strip().splitlines()
    return brief(lines[0] if lines else type(error).__name__, room)


def _without_secrets(sentence: str) -> str:
    return _OPTION.sub(r"\1…", _BARE.sub(r"\1…@", _USER.sub("//…@", sentence)))


def _printable(text: str) -> str:
    """One line; control characters, surrogates and their kin spelled out, so that a terminal does not obey them."""
    if len(text) > 8 * LONGEST_SENTENCE:
        text = f"{text[: 4 * LONGEST_SENTENCE]}{text[-4 * LONGEST_SENTENCE :]}"
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(c if c.isprintable() else _spelled(c) for c in line)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
