"""Progress goes to standard error: as a spinner on a terminal, as a line now and then into a log."""

from __future__ import annotations

import io
import os
import pty
import queue
import subprocess
import sys
import threading

import pytest

from explorer.cli.progress import told


class _Log(io.StringIO):
    """Standard error that lets a test wait until something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: queue.Queue[str] = queue.Queue()

    def write(self, text: str) -> int:
        if text.strip():
            self.lines.put(text)
        return len(text)


def test_a_log_hears_what_lasts(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    log = _Log()
    monkeypatch.setattr(sys, "stderr", log)
    with told("reading", every=0.01) as stage:
        assert log.lines.get(timeout=60).startswith("tradeoff: reading (")
        stage("balls [of] samples")
        while "reading" in (line := log.lines.get(timeout=60)):
            pass
    assert line.startswith("tradeoff: balls [of] samples (")
    assert line.endswith(" s)")
    assert capsys.readouterr().out == ""


def test_what_is_soon_done_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with told("reading") as stage:
        stage("this and that")
    assert capsys.readouterr() == ("", "")


def test_an_error_passes_and_nothing_is_told_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), told("reading", every=0.01):
        raise ZeroDivisionError
    capsys.readouterr()
    assert threading.active_count() == before
    assert capsys.readouterr().err == ""


def test_a_terminal_sees_every_stage() -> None:
    """On a real pseudo-terminal, with the output elsewhere."""
    code = """
import time
from explorer.cli.progress import told
with told("reading") as stage:
    stage("distances [of] samples: 40%")
    time.sleep(0.5)
print("{}")
"""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    seen = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert done.stdout == b"{}\n"
    assert "distances [of] samples: 40%" in seen
