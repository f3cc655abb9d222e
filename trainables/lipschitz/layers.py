"""Which networks are linear layers in a row: those whose Lipschitz constant the product of norms bounds."""

from __future__ import annotations

from torch import nn

__all__ = ["linear_layers"]

_ONE_LIPSCHITZ = (nn.ReLU, nn.Tanh, nn.Identity, nn.Flatten, nn.LeakyReLU, nn.ELU, nn.Softplus)


def linear_layers(module: nn.Module) -> tuple[str, ...] | None:
    """Names of the weights of linear layers in a row with 1-Lipschitz activations; None if there is anything else.

    Only ``nn.Sequential`` says by its type that layers come one after the other, and only ``nn.Linear`` itself that it
    is linear in a weight it has: subclasses, parametrised layers, and layers or weights used twice are not trusted.
    """
    if not isinstance(module, nn.Sequential) or type(module).forward is not nn.Sequential.forward:
        return None
    layers = list(module._modules.items())  # named_children leaves repeats out
    weights = list(module.named_parameters(remove_duplicate=False))
    if len({id(layer) for _, layer in layers}) < len(layers) or len({id(w) for _, w in weights}) < len(
        weights
    ):
        return None
    names: list[str] = []
    for name, layer in layers:
        if isinstance(layer, nn.Sequential):
            inner = linear_layers(layer)
            if inner is None:
                return None
            names += [f"{name}.{weight}" for weight in inner]
        elif type(layer) is nn.Linear and "weight" in layer._parameters:
            names.append(f"{name}.weight")
        elif layer is None or not _harmless(layer):
            return None
    return tuple(names)


def _harmless(layer: nn.Module) -> bool:
    """Slopes of at most 1: a leaky ReLU of slope 2 is none, nor an ELU of α = 2."""
    if isinstance(layer, nn.LeakyReLU):
        return abs(layer.negative_slope) <= 1
    if isinstance(layer, nn.ELU):
        return abs(layer.alpha) <= 1
    return isinstance(layer, _ONE_LIPSCHITZ)
