"""A cluster that is named and does not answer is a problem; nothing is started to find that out."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from explorer.doctor.cluster import check_ray
from explorer.doctor.finding import Subject


@pytest.fixture(autouse=True)
def no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


def test_without_an_address_ray_is_only_looked_for() -> None:
    code = (
        "import sys; from explorer.doctor.cluster import check_ray; from explorer.doctor.finding import Subject\n"
        "(one,) = check_ray(Subject('sqlite:///x'))\n"
        "assert one.state == 'ok', one; assert 'ray' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_somebody_who_listens_is_enough_and_nobody_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        there.listen()
        address = f"127.0.0.1:{there.getsockname()[1]}"
        (one,) = check_ray(Subject("sqlite:///x", address=address))
        assert one.state == "ok"
    monkeypatch.setenv("RAY_ADDRESS", address)
    (one,) = check_ray(Subject("sqlite:///x"))
    assert one.state == "problem"
    assert f"no Ray cluster answers at '{address}'" in one.sentence
