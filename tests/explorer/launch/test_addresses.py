"""Addresses where nobody answers are refused at once, by name; without one a runtime is our own."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch.addresses import check_reachable, chosen, joins_cluster


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("ray://127.0.0.1:10001", "not through Ray Client, got 'ray://127.0.0.1:10001'"),
        ("nowhere.invalid:6379", "no Ray cluster answers at 'nowhere.invalid:6379'"),
        ("x" * 200 + ":1", "no Ray cluster answers at"),
        ("127.0.0.1:port", "must be auto or HOST:PORT, such as 10.0.0.1:6379, got '127.0.0.1:port'"),
        ("somewhere", "must be auto or HOST:PORT"),
        ("host:0", "must be auto or HOST:PORT"),
        ("host:99999", "must be auto or HOST:PORT"),
        ("host:6379:1", "must be auto or HOST:PORT"),
        ("\0:6379", r"must be auto or HOST:PORT, .*got '\\x00:6379'"),
        ("x" * 3000 + ":1", "must be auto or HOST:PORT"),
    ],
)
def test_an_address_where_nobody_can_answer_is_refused_at_once(address: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        check_reachable(address)


def test_an_address_where_someone_listens_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        check_reachable(address)
        monkeypatch.setenv("RAY_ADDRESS", address)
        check_reachable("auto")
    check_reachable("local")


def test_auto_does_not_wait_for_a_cluster_that_is_no_more(
    killed_cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone on a machine; beside another cluster, Ray finds that one by its process."""
    monkeypatch.setattr("ray._private.services.find_gcs_addresses", set)
    with pytest.raises(UserError, match=r"answers at '127.0.0.1:1', which auto finds: .*refused"):
        check_reachable("auto")
    (Path(killed_cluster) / "ray" / "ray_current_cluster").unlink()
    with pytest.raises(
        UserError, match="no Ray cluster runs on this machine: start one with `ray start --head`"
    ):
        check_reachable("auto")


def test_the_variable_names_a_cluster_and_is_named_where_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "http://127.0.0.1:8265")
    with pytest.raises(UserError, match=r"^RAY_ADDRESS must be auto or HOST:PORT"):
        chosen(None)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(UserError, match=r"no Ray cluster answers at '127.0.0.1:1'"):
        chosen(None)
    monkeypatch.delenv("RAY_ADDRESS")
    assert chosen(None) == "local"


def test_a_cluster_is_joined_where_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert [joins_cluster(one) for one in (None, "local", "auto", "host:6379")] == [False, False, True, True]
    monkeypatch.setenv("RAY_ADDRESS", "host:6379")
    assert joins_cluster(None)
