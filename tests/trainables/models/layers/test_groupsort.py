"""Pairs are sorted, lengths stay, and modules get it in place of their ReLUs."""

from __future__ import annotations

import torch
from torch import nn

from trainables.models.layers.groupsort import GroupSort, with_groupsort
from trainables.models.layers.perceptron import MLPCritic


def test_pairs_are_sorted_and_an_odd_one_stays() -> None:
    x = torch.tensor([[1.0, 2.0, 5.0, -1.0, 7.0]])
    assert GroupSort()(x).tolist() == [[2.0, 1.0, 5.0, -1.0, 7.0]]


def test_images_are_sorted_by_channel_pixel_by_pixel() -> None:
    x = torch.randn(2, 4, 3, 3, generator=torch.Generator().manual_seed(0))
    found = GroupSort()(x)
    assert found.shape == x.shape
    torch.testing.assert_close(found[:, 2], torch.maximum(x[:, 2], x[:, 3]))
    torch.testing.assert_close(found.norm(), x.norm())


def test_its_jacobian_is_a_permutation() -> None:
    x = torch.randn(1, 6, generator=torch.Generator().manual_seed(1))
    jacobian = torch.func.jacrev(GroupSort())(x)[0, :, 0]
    torch.testing.assert_close(jacobian @ jacobian.T, torch.eye(6))


def test_relus_at_any_depth_are_replaced_and_others_stay() -> None:
    critic = with_groupsort(MLPCritic((2,), (4, 4)))
    assert [type(layer) for layer in critic] == [nn.Linear, GroupSort, nn.Linear, GroupSort, nn.Linear]
    deep = with_groupsort(nn.Sequential(nn.Sequential(nn.ReLU(), nn.Tanh())))
    assert [type(layer) for layer in deep[0]] == [GroupSort, nn.Tanh]
