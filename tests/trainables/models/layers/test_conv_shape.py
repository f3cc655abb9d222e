"""The plain form is torch's own: stride 1, no padding, (out, in, k, k), channels first."""

from __future__ import annotations

from trainables.models.layers.conv_shape import ConvShape


def test_what_is_not_said_is_as_in_torch() -> None:
    plain = ConvShape()
    assert (plain.stride, plain.padding) == (1, 0)
    assert [plain.transposed, plain.input_first, plain.channels_last] == [False] * 3
    assert ConvShape(stride=2) == ConvShape(2)
