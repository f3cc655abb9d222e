"""Actnorm and the 1×1 convolution."""

from __future__ import annotations

import torch

from trainables.models.layers.glow_step import ActNorm, InvertibleConv


def test_the_convolution_begins_as_a_rotation() -> None:
    torch.manual_seed(0)
    part, x = InvertibleConv(6), torch.randn(2, 6, 3, 3)
    z, log_det = part(x, inverse=True)
    torch.testing.assert_close(z.square().sum(1), x.square().sum(1))
    torch.testing.assert_close(log_det, torch.zeros(2), atol=1e-4, rtol=0)
    assert float((z - x).detach().abs().mean()) > 0.1


def test_the_convolution_inverts_far_from_a_rotation_and_knows_its_determinant() -> None:
    torch.manual_seed(0)
    part, x = InvertibleConv(6), torch.randn(2, 6, 3, 3)
    with torch.no_grad():
        for parameter in part.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    z, log_det = part(x, inverse=True)
    matrix = part(torch.eye(6).reshape(6, 6, 1, 1), inverse=True)[0].reshape(6, 6)
    expected = 9 * torch.linalg.slogdet(matrix.double()).logabsdet.float()
    torch.testing.assert_close(log_det, expected.expand(2), rtol=1e-4, atol=1e-4)
    back, there = part(z, inverse=False)
    torch.testing.assert_close(back, x, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(there, -log_det)


def test_what_is_fixed_is_a_buffer_and_what_lies_outside_the_triangles_is_idle() -> None:
    part = InvertibleConv(4)
    assert {name for name, _ in part.named_buffers()} == {"permutation", "signs"}
    z = part(torch.ones(1, 4, 1, 1), inverse=True)[0].detach()
    with torch.no_grad():
        part.lower.add_(torch.ones(4, 4).triu())
        part.upper.add_(torch.ones(4, 4).tril())
    torch.testing.assert_close(part(torch.ones(1, 4, 1, 1), inverse=True)[0], z)


def test_actnorm_scales_and_shifts_channels_and_begins_at_the_identity() -> None:
    part, x = ActNorm(2), torch.ones(3, 2, 2, 2)
    torch.testing.assert_close(part(x, inverse=True)[0], x)
    with torch.no_grad():
        part.log_scale.copy_(torch.tensor([0.0, 0.1]))
        part.bias.copy_(torch.tensor([1.0, 0.0]))
    z, log_det = part(x, inverse=True)
    assert len(z[:, 0].unique()) == len(z[:, 1].unique()) == 1
    torch.testing.assert_close(log_det, (4 * (z[0, 1, 0, 0]).log()).expand(3))
    torch.testing.assert_close(part(z, inverse=False)[0], x)
