"""A row of a stack is the plain module: values, gradients and buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor, nn

from trainables.models.layers.couplings import RealNVP
from trainables.models.layers.perceptron import MLPCritic, MLPGenerator
from trainables.models.layers.stacked import SameConv, in_stack
from trainables.models.layers.strided import StridedConv, StridedTransposed
from trainables.training.stack import Stack, _numbers

CPU = torch.device("cpu")


class RunningSum(nn.Module):
    """Adds up what it has seen, in a buffer of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.register_buffer("total", torch.zeros(2))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.total.add_(x.detach().sum(0))
            self.count.add_(len(x))
        return self.layer(x) + 0.1 * self.total


def normed() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1))


BUILDS: dict[str, Callable[[], nn.Module]] = {
    "generator": lambda: MLPGenerator(3, (8, 8), (2,)),
    "critic": lambda: MLPCritic((2,), (8, 8)),
    "realnvp": lambda: RealNVP(2, 3, 8),
    "normed": normed,
    "running": RunningSum,
}
BUFFERED = ("normed", "running")


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def plain(build: Callable[[], nn.Module], row: Tensor) -> nn.Module:
    module = build()
    nn.utils.vector_to_parameters(row, module.parameters())
    return module


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("generator", "forward"),
        ("critic", "forward"),
        ("realnvp", "forward"),
        ("realnvp", "log_prob"),
        ("normed", "forward"),
        ("running", "forward"),
    ],
)
def test_forward_and_gradients_equal_the_plain_module(
    name: str, method: str, training: bool, rows: int
) -> None:
    build = BUILDS[name]
    stack = Stack(build)
    # Not the initial values: a coupling starts at the identity.
    flat = (0.3 * numbers(rows, stack.size)).requires_grad_()
    buffers = stack.initial(list(range(rows)), CPU)[1]
    x = numbers(rows, 5, 3 if name == "generator" else 2, seed=1)
    out = stack(stack.unflatten(flat), buffers, x, method=method, training=training)
    (gradient,) = torch.autograd.grad(out.square().sum(), flat)
    for t in range(rows):
        module = plain(build, flat[t].detach()).train(training)
        expected = getattr(module, method)(x[t])
        torch.testing.assert_close(out[t], expected)
        parts = torch.autograd.grad(expected.square().sum(), list(module.parameters()))
        torch.testing.assert_close(
            gradient[t], torch.cat([part.flatten() for part in parts]), rtol=1e-4, atol=1e-5
        )
        for key, value in module.named_buffers():
            torch.testing.assert_close(buffers[key][t], value)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("name", BUFFERED)
def test_buffers_are_updated_in_place_in_training_and_read_in_evaluation(name: str, rows: int) -> None:
    stack = Stack(BUILDS[name])
    flat, buffers = stack.initial(list(range(rows)), CPU)
    assert tuple(buffers) == tuple(stack.buffers)
    addresses = {key: values.data_ptr() for key, values in buffers.items()}
    modules = [plain(BUILDS[name], row) for row in flat]
    for step in range(4):
        x = numbers(rows, 7, 2, seed=step)
        stack(stack.unflatten(flat), buffers, x, training=True)
        for module, own in zip(modules, x, strict=True):
            module.train()(own)
    frozen = {key: values.clone() for key, values in buffers.items()}
    x = numbers(rows, 7, 2, seed=9)
    out = stack(stack.unflatten(flat), buffers, x)
    for t, module in enumerate(modules):
        torch.testing.assert_close(out[t], module.eval()(x[t]))
        for key, value in module.named_buffers():
            torch.testing.assert_close(buffers[key][t], value)
            assert buffers[key].dtype == value.dtype
    for key, values in buffers.items():
        assert torch.equal(values, frozen[key])  # evaluation changes nothing
        assert values.data_ptr() == addresses[key]


@pytest.mark.parametrize("method", ["forward", "log_prob"])
def test_rows_pass_in_parts_where_nothing_is_trained(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    build = BUILDS["realnvp"]
    stack = Stack(build, torch.zeros(2, 2), methods={"log_prob": [torch.zeros(2, 2)]})
    flat, x = 0.3 * numbers(5, stack.size), numbers(5, 7, 2, seed=1)
    whole = stack(stack.unflatten(flat), {}, x, method=method)
    passed: list[int] = []
    applied = stack._applied

    def heard(*arguments: Any) -> Callable[..., Tensor]:
        apply = applied(*arguments)

        def counted(values: Any, keys: Any, *inputs: Tensor) -> Tensor:
            passed.append(inputs[0].shape[0])
            return apply(values, keys, *inputs)

        return counted

    monkeypatch.setattr(stack, "_applied", heard)
    widest = 8  # the couplings' networks
    monkeypatch.setattr("trainables.training.stack._NUMBERS", 2 * 7 * widest)  # two rows of seven points
    torch.testing.assert_close(stack(stack.unflatten(flat), {}, x, method=method), whole)
    assert passed == [2, 2, 1]
    stack(stack.unflatten(flat), {}, x, method=method, training=True)
    assert passed[3:] == [5]


@pytest.mark.parametrize("name", sorted(BUILDS))
def test_initial_rows_depend_on_their_seed_alone(name: str) -> None:
    stack = Stack(BUILDS[name])
    together, buffers = stack.initial([4, 7, 9], CPU)
    alone, own = stack.initial([7], CPU)
    torch.testing.assert_close(together[1:2], alone, rtol=0, atol=0)
    for key in tuple(stack.buffers):
        torch.testing.assert_close(buffers[key][1:2], own[key], rtol=0, atol=0)
    assert not torch.equal(together[0], together[1])
    with torch.random.fork_rng():
        torch.manual_seed(7)
        expected = nn.utils.parameters_to_vector(BUILDS[name]().parameters())
    torch.testing.assert_close(together[1], expected.detach(), rtol=0, atol=0)


def test_initialising_leaves_the_callers_random_state_alone() -> None:
    stack = Stack(BUILDS["critic"])
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    Stack(BUILDS["critic"], torch.zeros(2, 2))
    stack.initial([1, 2], CPU)
    torch.testing.assert_close(torch.rand(3), expected, rtol=0, atol=0)


def test_trying_a_module_leaves_no_trace_in_its_buffers() -> None:
    tried = Stack(normed, torch.ones(2, 2))
    _, buffers = tried.initial([0], CPU)
    assert int(buffers["1.num_batches_tracked"]) == 0
    assert tried.output_shapes == {"forward": (2, 1)}
    assert not tried.random


def test_unflatten_covers_every_entry_once() -> None:
    stack = Stack(BUILDS["realnvp"])
    flat = torch.arange(2 * stack.size, dtype=torch.float32).reshape(2, -1)
    parts = stack.unflatten(flat)
    assert {name: tuple(p.shape[1:]) for name, p in parts.items()} == stack.shapes
    torch.testing.assert_close(torch.cat([p.flatten(1) for p in parts.values()], dim=1), flat)
    parts[next(iter(parts))].zero_()
    assert float(flat[0, 0]) == 0.0  # views: a projection in place reaches the matrix


@pytest.mark.parametrize("name", ["critic", "normed"])
def test_a_row_of_nan_does_not_touch_the_others(name: str) -> None:
    stack = Stack(BUILDS[name])
    flat, buffers = stack.initial([0, 1], CPU)
    x = numbers(2, 4, 2, seed=2)
    clean = stack(stack.unflatten(flat), {k: v.clone() for k, v in buffers.items()}, x, training=True)
    flat[0] = torch.nan
    spoilt = stack(stack.unflatten(flat), buffers, x, training=True)
    assert torch.isnan(spoilt[0]).all()
    torch.testing.assert_close(spoilt[1], clean[1], rtol=0, atol=0)
    for values in buffers.values():
        assert torch.isfinite(values[1].float()).all()


def test_several_inputs_are_mapped_together() -> None:
    class Labelled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.layer = nn.Embedding(3, 2), nn.Linear(2, 1)

        def forward(self, x: Tensor, y: Tensor) -> Tensor:
            return self.layer(x + self.embedding(y))

    stack = Stack(Labelled, torch.zeros(2, 2), torch.zeros(2, dtype=torch.int64))
    flat, _ = stack.initial([0, 1], CPU)
    x, y = numbers(2, 5, 2), torch.randint(3, (2, 5), generator=torch.Generator().manual_seed(0))
    out = stack(stack.unflatten(flat), {}, x, y)
    for t in range(2):
        torch.testing.assert_close(out[t], plain(Labelled, flat[t])(x[t], y[t]))


class Branching(nn.Module):
    """A forward pass that asks a tensor for its value."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) if x.sum() > 0 else -self.layer(x)


def test_python_that_branches_on_values_cannot_be_stacked_but_runs_alone() -> None:
    stack = Stack(Branching, torch.zeros(2, 2), what="the critic of model 'mine'")
    flat, _ = stack.initial([0, 1], CPU)
    x = numbers(2, 5, 2)
    alone = stack(stack.unflatten(flat[:1]), {}, x[:1])
    torch.testing.assert_close(alone[0], plain(Branching, flat[0])(x[0]))
    with pytest.raises(ValueError, match=r".") as refusal:
        stack(stack.unflatten(flat), {}, x)
    assert str(refusal.value).startswith("the critic of model 'mine' cannot be stacked (vmap: ")
    assert str(refusal.value).endswith("; set stacks = False in its model")


def test_faults_that_are_not_stacking_keep_their_own_words() -> None:
    stack = Stack(BUILDS["critic"])
    flat, _ = stack.initial([0, 1], CPU)
    with pytest.raises(RuntimeError, match="size"):
        stack(stack.unflatten(flat), {}, numbers(2, 5, 3))


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (nn.Identity, "the thing must have parameters to train, got none"),
        (lambda: nn.Linear(3, 1), "the thing cannot take inputs of shape (2, 2): "),
        (lambda: nn.Bilinear(2, 2, 1), "the thing cannot take inputs of shape (2, 2): "),
        (lambda: nn.GRU(2, 3), "the thing must return a tensor, got tuple"),
    ],
)
def test_modules_that_do_not_run_are_refused(build: Callable[[], nn.Module], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        Stack(build, torch.zeros(2, 2), what="the thing")
    assert str(refusal.value).startswith(sentence)
    assert "\n" not in str(refusal.value)


def test_a_random_module_needs_keys() -> None:
    def build() -> nn.Module:
        return nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Linear(4, 1))

    stack = Stack(build, torch.zeros(2, 2), what="the thing")
    assert stack.random
    flat, _ = stack.initial([0], CPU)
    with pytest.raises(ValueError, match="the thing draws random numbers in its forward pass and needs keys"):
        stack(stack.unflatten(flat), {}, numbers(1, 3, 2))


class Recurrent(nn.Module):
    """Dropout inside a kernel of torch's, which nothing can hash."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(2, 3, num_layers=2, dropout=0.5, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.gru(x[:, None])[0][:, 0]


class Attending(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(2, 1, dropout=0.5, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        h = x[:, None].expand(-1, 4, -1)
        return nn.functional.scaled_dot_product_attention(h, h, h, dropout_p=0.5)[:, 0] @ (
            self.attention.out_proj.weight
        )


@pytest.mark.parametrize("build", [Recurrent, Attending])
def test_what_draws_from_torchs_own_generator_is_refused(build: Callable[[], nn.Module]) -> None:
    with pytest.raises(ValueError, match="draws from torch's own generator"):
        Stack(build, torch.ones(2, 2))


class Listening(nn.Linear):
    """Notes whether it is called in a stack."""

    heard: ClassVar[list[bool]] = []

    def forward(self, x: Tensor) -> Tensor:
        self.heard.append(in_stack())
        return super().forward(x)


def test_layers_know_whether_they_are_in_a_stack() -> None:
    stack = Stack(lambda: Listening(2, 1), torch.zeros(3, 2))
    for trials in (1, 2):
        Listening.heard.clear()
        rows, buffers = stack.initial(list(range(trials)), torch.device("cpu"))
        stack(stack.unflatten(rows), buffers, torch.zeros(trials, 3, 2))
        assert Listening.heard == [trials > 1]
    assert not in_stack()


@pytest.mark.parametrize(
    ("layer", "shape", "numbers_due"),
    [
        (nn.Linear(6, 2), (2, 6), 6),
        (
            StridedConv(3, 5),
            (2, 3, 8, 8),
            4 * 3 * 64,
        ),  # four slices of blocks of four pixels, a quarter as many
        (StridedTransposed(3, 5), (2, 3, 4, 4), 4 * 3 * 16),
        (SameConv(2, 4, 3), (2, 2, 5, 5), 9 * 2 * 25),
        (nn.ReLU(), (2, 3, 4, 4), 3 * 16),
    ],
)
def test_a_convolution_in_a_stack_needs_its_windows(
    layer: nn.Module, shape: tuple[int, ...], numbers_due: int
) -> None:
    assert _numbers(layer, shape) == numbers_due
