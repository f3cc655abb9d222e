"""Reading a module as a tree of parts whose norms bound its Lipschitz constant; or not, if there is anything else.

Only what says by its type what it does is trusted: ``nn.Sequential`` and ``Branches`` with the forward pass they are
born with, torch's own layers and not their subclasses, and what declares itself:

* ``in_a_row``, of a class: names of submodules that the forward pass applies one after the other, with at most
  reshaping and 1-Lipschitz functions between them; a property may give None, for not known;
* ``as_convolution``, of a layer with a ``weight``: the form of the convolution that it is, a ``ConvShape``;
* ``known_norm(shape)``, of a layer without parameters: its Lipschitz constant for inputs of a shape, batch included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any

from torch import Tensor, nn

from trainables.lipschitz.parts import BatchNorm, Convolution, Dense, Part, Row, Scale, Sum
from trainables.models.layers.batch_norm import BatchNorm as ImageNorm
from trainables.models.layers.branches import Branches
from trainables.models.layers.conv_shape import ConvShape
from trainables.models.layers.groupsort import GroupSort

__all__ = ["parts_of", "seen_inputs"]

Shapes = Mapping[nn.Module, tuple[int, ...]]
"""Shapes of what layers were given when the module was tried."""

_ONE_LIPSCHITZ = (
    nn.ReLU, nn.Tanh, nn.Sigmoid, nn.Softplus, GroupSort, nn.Identity, nn.Flatten, nn.Unflatten, nn.PixelShuffle,
    nn.PixelUnshuffle,
)  # fmt: skip
_BATCH_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, ImageNorm)
_IMAGES = 4


class _Unbounded(Exception):
    """There is a part of which no bound is known."""


@contextmanager
def seen_inputs(module: nn.Module) -> Iterator[dict[nn.Module, tuple[int, ...]]]:
    """Note the shape of the first input of every layer that is called meanwhile; () if there are several."""
    seen: dict[nn.Module, tuple[int, ...]] = {}

    def note(layer: nn.Module, inputs: tuple[object, ...]) -> None:
        if inputs and isinstance(inputs[0], Tensor):
            shape = tuple(inputs[0].shape)
            seen[layer] = shape if seen.get(layer, shape) == shape else ()

    hooks = [layer.register_forward_pre_hook(note) for layer in module.modules()]
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()


def parts_of(module: nn.Module, shapes: Shapes | None = None) -> Row | None:
    """The tree of a module, None if no bound is known; without ``shapes`` convolutions are unknown.

    Layers with weights that are used twice, and weights that are, are not trusted.
    """
    weights = [id(weight) for _, weight in module.named_parameters(remove_duplicate=False)]
    if len(set(weights)) < len(weights):
        return None
    try:
        return Row(tuple(_read(module, "", shapes or {}, set())))
    except _Unbounded:
        return None


def _child(module: nn.Module, name: str) -> nn.Module:
    try:
        return module.get_submodule(name)
    except AttributeError as error:
        raise _Unbounded from error


def _read(module: nn.Module, prefix: str, shapes: Shapes, visited: set[int]) -> Iterator[Part]:
    """The parts of a module whose parameters' names begin with ``prefix``, in a row."""
    if id(module) in visited and (any(module._parameters) or any(module._buffers)):
        raise _Unbounded
    visited.add(id(module))
    children = _in_a_row(module)
    if children is not None:
        for name in children:
            yield from _read(_child(module, name), f"{prefix}{name}.", shapes, visited)
    elif isinstance(module, Branches):
        if type(module).forward is not Branches.forward:
            raise _Unbounded
        ways = [
            Row(tuple(_read(_child(module, way), f"{prefix}{way}.", shapes, visited)))
            for way in ("branch", "skip")
        ]
        yield Sum(*ways)
    else:
        yield from _leaf(module, prefix, shapes.get(module))


def _in_a_row(module: nn.Module) -> tuple[str, ...] | None:
    """Names of the children that make up the forward pass; None if it is something else."""
    kind = type(module)
    if isinstance(module, nn.Sequential) and kind.forward is nn.Sequential.forward:
        return tuple(module._modules)
    return _declared(module, "in_a_row")  # type: ignore[no-any-return]


def _declared(module: nn.Module, name: str) -> Any:
    """What a class says of itself; None unless whoever says so has the last word on the forward pass too."""
    for base in type(module).__mro__:
        if name in vars(base):
            return getattr(module, name)
        if "forward" in vars(base):
            return None
    return None


def _leaf(layer: nn.Module, prefix: str, shape: tuple[int, ...] | None) -> Iterator[Part]:
    """A layer without children, nothing if its norm is 1."""
    if type(layer) is nn.Linear and "weight" in layer._parameters:
        yield Dense(f"{prefix}weight")
    elif isinstance(form := _convolution(layer), ConvShape):
        yield Convolution(f"{prefix}weight", form, _side(layer, form, shape))
    elif type(layer) in _BATCH_NORMS and "running_var" in layer._buffers:
        if layer._buffers["running_var"] is None:
            raise _Unbounded
        weight = None if layer._parameters.get("weight") is None else f"{prefix}weight"
        yield BatchNorm(weight, f"{prefix}running_var", float(layer.eps))  # type: ignore[arg-type]
    elif type(layer) in (nn.AvgPool2d, nn.Upsample):
        assert isinstance(layer, nn.AvgPool2d | nn.Upsample)
        yield Scale(_resizing(layer, shape))
    elif callable(known := _declared(layer, "known_norm")):
        if not shape or layer._parameters or layer._modules:
            raise _Unbounded
        yield Scale(float(known(shape)))
    elif not _harmless(layer):
        raise _Unbounded


def _convolution(layer: nn.Module) -> ConvShape | None:
    """The form of a convolution, None if the layer is none or one of another kind."""
    said = _declared(layer, "as_convolution")
    if isinstance(said, ConvShape) and "weight" in layer._parameters:
        return said
    if type(layer) not in (nn.Conv2d, nn.ConvTranspose2d) or "weight" not in layer._parameters:
        return None
    assert isinstance(layer, nn.Conv2d | nn.ConvTranspose2d)
    plain = layer.padding_mode == "zeros" and layer.groups == 1 and set(layer.dilation) == {1}
    if not plain or isinstance(layer.padding, str) or len({*layer.stride}) > 1 or len({*layer.padding}) > 1:
        return None
    transposed = isinstance(layer, nn.ConvTranspose2d)
    return ConvShape(layer.stride[0], int(layer.padding[0]), transposed, input_first=transposed)


def _side(layer: nn.Module, form: ConvShape, shape: tuple[int, ...] | None) -> tuple[int, int]:
    """Height and width of the larger image, the one that the convolution or the adjoint's convolution takes."""
    if shape is None or len(shape) != _IMAGES:
        raise _Unbounded
    weight = layer._parameters["weight"]
    assert weight is not None
    kernel = weight.shape[2:]
    if weight.ndim != _IMAGES or form.padding >= min(kernel):
        raise _Unbounded
    found = shape[1:3] if form.channels_last else shape[2:4]
    if form.transposed:
        extra = getattr(layer, "output_padding", (0, 0))
        found = tuple(
            (n - 1) * form.stride - 2 * form.padding + k + int(more)
            for n, k, more in zip(found, kernel, extra, strict=True)
        )
    return found[0], found[1]


def _resizing(layer: nn.AvgPool2d | nn.Upsample, shape: tuple[int, ...] | None) -> float:
    """The mean of k · k has norm 1/k, the k-fold enlargement k: rows, or columns, are orthogonal."""
    if isinstance(layer, nn.AvgPool2d):
        kernel, stride = _pair(layer.kernel_size), _pair(layer.stride)
        if kernel != stride or _pair(layer.padding) != (0, 0) or layer.ceil_mode or layer.divisor_override:
            raise _Unbounded
        return float(prod(kernel) ** -0.5)
    if layer.mode != "nearest" or layer.scale_factor is None or shape is None or len(shape) != _IMAGES:
        raise _Unbounded
    factors = _pair(layer.scale_factor)
    if any(factor != int(factor) for factor in factors):
        raise _Unbounded
    return float(prod(factors) ** 0.5)


def _pair(value: object) -> tuple[float, float]:
    return tuple(value) if isinstance(value, tuple) else (value, value)


def _harmless(layer: nn.Module) -> bool:
    """Slopes of at most 1: a leaky ReLU of slope 2 is none, nor an ELU of α = 2."""
    if type(layer) is nn.LeakyReLU:
        return abs(layer.negative_slope) <= 1
    if type(layer) is nn.ELU:
        return abs(layer.alpha) <= 1
    return type(layer) in _ONE_LIPSCHITZ
