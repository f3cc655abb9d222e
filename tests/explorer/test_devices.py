"""Devices by name: what is none is refused, and so is one that is not here."""

from __future__ import annotations

import pytest

from explorer.devices import _lacks_driver, check_device, torch_device
from explorer.errors import UserError


@pytest.mark.parametrize("device", ["abacus", "meta", "cuda:x", "CPU", "cpu:0"])
def test_what_is_no_device_is_refused(device: str) -> None:
    with pytest.raises(UserError, match="the device must be auto, cpu, cuda or cuda:N"):
        check_device(device)


def test_the_device_is_there() -> None:
    import torch

    assert torch_device("cpu") == "cpu"
    assert torch_device("auto") == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(UserError, match="device cuda:99 was asked for, but torch finds"):
        torch_device("cuda:99")


def test_a_machine_without_a_driver_has_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.devices._lacks_driver", lambda: True)
    with pytest.raises(UserError, match="device cuda:7 was asked for, but torch finds no CUDA device here"):
        check_device("cuda:7")
    check_device("auto")
    monkeypatch.setattr("explorer.devices._lacks_driver", lambda: False)
    check_device("cuda:7")


def test_where_torch_finds_a_device_there_is_a_driver() -> None:
    import torch

    assert not (torch.cuda.is_available() and _lacks_driver())
