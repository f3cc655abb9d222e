"""The table of inversions in small: it tells a flow that inverts from one that does not, and has a line for each."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from benchmarks import flow_inversion
from benchmarks.flow_inversion import OBJECTIVES, inversion
from trainables.models.glow import Glow
from trainables.models.layers.flow import Flow, Part


class Narrow(Part):
    """x = 1 + z / 1000; its inverse is off by ``error``."""

    def __init__(self, error: float) -> None:
        super().__init__()
        self.error = error

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        return (1000 * (x - 1) + self.error if inverse else 1 + x / 1000), x.new_zeros(len(x))


@pytest.mark.parametrize("error", [0.0, 0.1])
def test_what_rounding_costs_is_told_from_what_is_wrong(error: float) -> None:
    """A float32 about 1 is off by 6e-8 at most, so its latent is by 6e-5."""
    z = torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
    found = inversion(Flow([Narrow(error)], images=False), z, 1 + z / 1000)
    assert found.single.shape == found.rounded.shape == found.double.shape == (50,)
    assert float(found.double.max()) == pytest.approx(error, abs=1e-9)
    assert float(found.rounded.max()) == pytest.approx(error + 5e-5, abs=1.5e-5)
    assert float(found.single.max()) == pytest.approx(error + 5e-5, abs=1.5e-5)
    assert found.data == pytest.approx(error / 1000, abs=2e-7)


def test_a_line_for_every_flow_and_objective(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow_inversion, "FLOWS", (Glow(critic=(4,), levels=1, steps=1, width=4),))
    flow_inversion.main(["digits", "--iterations", "41", "--seeds", "0", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("digits (1, 8, 8), 41 iterations, seeds [0, 1]")
    assert [line.split("|")[1].strip() for line in lines[3:]] == ["`glow`"] * len(OBJECTIVES)
    assert all("| 0.0% |" in line for line in lines[3:])
