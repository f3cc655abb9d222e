"""The linear layers of a tree come in the order of the network."""

from __future__ import annotations

from trainables.lipschitz.parts import BatchNorm, Convolution, Dense, Row, Scale, Sum, linear_parts
from trainables.models.layers.conv_shape import ConvShape


def test_weights_are_found_at_any_depth_and_nothing_else() -> None:
    kernel = Convolution("kernel", ConvShape(), (4, 4))
    block = Sum(Row((BatchNorm("gamma", "variance", 1e-5), Dense("inner"))), Row((Scale(0.5), kernel)))
    tree = Row((Dense("first"), block, Row(()), Dense("last")))
    assert [part.weight for part in linear_parts(tree)] == ["first", "inner", "kernel", "last"]
