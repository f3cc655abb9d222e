"""Hashed numbers behave as independent draws, and depend on nothing but where they are used."""

from __future__ import annotations

import pytest
import torch
from scipy import stats
from torch import Tensor

from trainables.randomness import Noise, Stream, hashed_normals, hashed_uniforms

COUNT = 200_000
FIVE_SIGMA = 5.0


def noise(*seeds: int) -> Noise:
    return Noise(torch.tensor(seeds))


def correlation(x: Tensor, y: Tensor) -> float:
    return float(torch.corrcoef(torch.stack((x.double().flatten(), y.double().flatten())))[0, 1])


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**61])
def test_uniforms_are_uniform(seed: int) -> None:
    u = noise(seed).uniform(Stream.REAL, 3, COUNT)[0]
    assert float(u.min()) > 0
    assert float(u.max()) <= 1
    assert stats.kstest(u.double().numpy(), "uniform").pvalue > 1e-3
    assert float(u.double().mean()) == pytest.approx(0.5, abs=FIVE_SIGMA * (1 / 12 / COUNT) ** 0.5)
    cells = torch.bincount((u * 1000).long().clamp(max=999), minlength=1000)
    assert stats.chisquare(cells.numpy()).pvalue > 1e-3


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**61])
def test_normals_are_normal(seed: int) -> None:
    z = noise(seed).normal(Stream.POOL, 7, COUNT)[0].double()
    assert stats.kstest(z.numpy(), "norm").pvalue > 1e-3
    # Standard errors of the first four moments of N(0, 1): √(1, 2, 15, 96)/√n.
    for power, expected, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert float(z.pow(power).mean()) == pytest.approx(
            expected, abs=FIVE_SIGMA * (variance / COUNT) ** 0.5
        )
    # Tails: about 2n(1 - Φ(4)) = 12.7 beyond 4.
    beyond = int((z.abs() > 4).sum())
    assert stats.poisson.cdf(beyond, COUNT * 6.334e-5) > 1e-4
    assert stats.poisson.sf(beyond - 1, COUNT * 6.334e-5) > 1e-4


def test_coordinates_of_a_normal_point_are_independent() -> None:
    # Squares show what Box-Muller would betray: partners share a radius.
    z = noise(5).normal(Stream.POOL, 0, COUNT // 2, 2)[0].double()
    bound = FIVE_SIGMA / (COUNT // 2) ** 0.5
    assert abs(correlation(z[:, 0], z[:, 1])) < bound
    assert abs(correlation(z[:, 0] ** 2, z[:, 1] ** 2)) < bound
    half = z.flatten()
    assert abs(correlation(half[: COUNT // 2] ** 2, half[COUNT // 2 :] ** 2)) < bound
    angle = torch.atan2(z[:, 1], z[:, 0]) / (2 * torch.pi) + 0.5
    assert stats.kstest(angle.numpy(), "uniform").pvalue > 1e-3


def draws(kind: str) -> Tensor:
    """(n, m): rows that ought to be independent, each of m numbers."""
    count = 20_000
    if kind == "trials":
        return torch.cat([noise(*range(8)).uniform(Stream.REAL, 0, count)])
    if kind == "steps":
        return torch.cat([noise(0).uniform(Stream.REAL, step, count) for step in range(8)])
    if kind == "streams":
        return torch.cat([noise(0).uniform(stream, 0, count) for stream in Stream])
    # The diagonals on which a weak mixing of seed, stream and step would coincide.
    return torch.cat([noise(i).uniform(list(Stream)[i % 7], i, count) for i in range(8)])


@pytest.mark.parametrize("kind", ["trials", "steps", "streams", "diagonal"])
def test_trials_streams_and_steps_are_independent(kind: str) -> None:
    rows = draws(kind).double()
    for values in (rows, (rows - 0.5).abs()):
        matrix = torch.corrcoef(values) - torch.eye(len(rows))
        assert float(matrix.abs().max()) < FIVE_SIGMA / rows.shape[1] ** 0.5
    for lag in (1, 2):
        assert abs(correlation(rows[:-1, lag:], rows[1:, :-lag])) < FIVE_SIGMA / rows[1:, lag:].numel() ** 0.5
    assert len(rows.unique()) > 0.98 * rows.numel()  # float32 has few enough values for chance repeats


def test_first_numbers_of_successive_steps_look_random() -> None:
    # What a trial sees at position 0 over its steps, and what step 0 gives over seeds.
    over_steps = torch.stack([noise(0).uniform(Stream.REAL, s, 1)[0, 0] for s in range(3000)])
    over_seeds = noise(*range(3000)).uniform(Stream.REAL, 0, 1)[:, 0]
    for u in (over_steps, over_seeds):
        assert stats.kstest(u.numpy(), "uniform").pvalue > 1e-3
        assert abs(correlation(u[1:], u[:-1])) < FIVE_SIGMA / 3000**0.5


def test_no_seed_stream_and_step_share_their_numbers() -> None:
    # Neither does stream 1 at step 2 repeat stream 2 at step 1, nor seed 1 the next step of seed 0.
    many = noise(*range(6))
    blocks = torch.cat([many.uniform(stream, step, 4) for stream in Stream for step in range(12)])
    assert len(blocks.unique(dim=0)) == 6 * len(Stream) * 12


def test_a_seed_draws_the_same_alone_and_among_others() -> None:
    for draw in (
        lambda n: n.uniform(Stream.ACCEPT, 4, 101),
        lambda n: n.normal(Stream.REAL, 4, 33, 3),
    ):
        torch.testing.assert_close(draw(noise(3, 17, 9))[1:2], draw(noise(17)), rtol=0, atol=0)


def test_a_step_may_be_a_number_or_a_tensor() -> None:
    torch.testing.assert_close(
        noise(2).normal(Stream.REAL, torch.tensor(11), 9), noise(2).normal(Stream.REAL, 11, 9), rtol=0, atol=0
    )


def test_shapes_also_of_odd_counts() -> None:
    assert noise(0, 1).normal(Stream.REAL, 0, 5, 3).shape == (2, 5, 3)
    assert noise(0, 1).uniform(Stream.REAL, 0, 7).shape == (2, 7)
    assert noise(0).uniform(Stream.REAL, 0, 1).shape == (1, 1)


@pytest.mark.parametrize("first", [1, 2, 7, 50, 51, 100, 101, 500])
@pytest.mark.parametrize("shape", [(101,), (100, 3), (101, 3, 5)])
def test_who_needs_the_first_alone_gets_the_same(shape: tuple[int, ...], first: int) -> None:
    for draw in (noise(3, 4).normal, noise(3, 4).uniform):
        whole = draw(Stream.POOL, 5, *shape)
        torch.testing.assert_close(
            draw(Stream.POOL, 5, *shape, first=first), whole[:, :first], rtol=0, atol=0
        )


def test_keys_are_pure_and_equal_keys_give_equal_numbers() -> None:
    keys = noise(3, 4).keys(Stream.FORWARD, 9)
    assert keys.shape == (2,)
    assert torch.equal(keys, noise(3, 4).keys(Stream.FORWARD, torch.tensor(9)))
    assert torch.equal(keys[1:], noise(4).keys(Stream.FORWARD, 9))
    for draw in (hashed_normals, hashed_uniforms):
        together = draw(keys, (5, 3))
        assert together.shape == (2, 5, 3)
        torch.testing.assert_close(draw(keys[1], (5, 3)), together[1], rtol=0, atol=0)
        assert not torch.equal(together[0], together[1])


def test_the_first_normals_of_a_key_alone_are_those_of_all() -> None:
    keys = noise(3, 8).keys(Stream.MOVE, 5)
    for shape in ((7, 3), (64, 2, 2), (1,)):
        whole = hashed_normals(keys, shape)
        for first in (1, 4, 1000):
            assert torch.equal(hashed_normals(keys, shape, first), whole[:, :first])


def test_successive_keys_give_independent_numbers() -> None:
    # A forward pass draws from key + 1, key + 2, …
    keys = noise(0).keys(Stream.FORWARD, 0) + torch.arange(8)
    uniforms = hashed_uniforms(keys, (20_000,)).double()
    matrix = torch.corrcoef(uniforms) - torch.eye(8)
    assert float(matrix.abs().max()) < FIVE_SIGMA / 20_000**0.5
    assert stats.kstest(hashed_normals(keys, (2000,)).flatten().numpy(), "norm").pvalue > 1e-3
    assert stats.kstest(uniforms.flatten().numpy(), "uniform").pvalue > 1e-3


def test_the_hash_is_splitmix64() -> None:
    # First outputs of splitmix64 from state 0: Steele, Lea & Flood 2014; the reference values are public.
    from trainables.randomness import _GOLDEN, _mix

    state = torch.arange(1, 4, dtype=torch.int64) * _GOLDEN
    words = [int(v) % 2**64 for v in _mix(state)]
    assert words == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
