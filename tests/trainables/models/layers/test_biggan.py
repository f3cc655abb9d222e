"""BigGAN's networks: what classes and parts of the latent reach, where attention stands, how weights begin."""

from __future__ import annotations

import torch
from torch import nn

from trainables.models.layers.attention import SelfAttention
from trainables.models.layers.biggan import BigGANCritic, BigGANGenerator, ProjectionCritic

WIDTHS = (4, 4, 4, 4)
DOWNS = (True, True, False, False)


def test_classes_change_the_image_whichever_way_they_come() -> None:
    torch.manual_seed(0)
    for options in ({}, {"shared": 5}, {"shared": 5, "hierarchical": True}):
        generator = BigGANGenerator(8, WIDTHS, 3, classes=2, **options).eval()  # type: ignore[arg-type]
        z = torch.randn(1, 8).expand(2, 8)
        one, other = generator(z, torch.tensor([0, 1]))
        assert not torch.allclose(one, other, atol=1e-4), options


def test_without_classes_there_is_no_embedding() -> None:
    for options in ({}, {"shared": 5}, {"shared": 5, "hierarchical": True}):
        generator = BigGANGenerator(8, WIDTHS, 3, classes=None, **options)  # type: ignore[arg-type]
        assert not any(isinstance(m, nn.Embedding) for m in generator.modules())
        assert generator(torch.randn(2, 8)).shape == (2, 3, 32, 32)


def test_every_part_of_a_split_latent_has_its_block() -> None:
    torch.manual_seed(0)
    generator = BigGANGenerator(8, WIDTHS, 1, classes=2, shared=5, hierarchical=True).eval()
    assert generator.project.in_features == 2
    seen: list[torch.Tensor] = []
    for block in generator.blocks:
        block.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[1]))
    z, y = torch.randn(3, 8), torch.tensor([0, 1, 0])
    generator(z, y)
    for index, code in enumerate(seen):
        assert torch.equal(code[:, :5], generator.shared_embedding(y))  # type: ignore[misc]
        assert torch.equal(code[:, 5:], z[:, 2 + 2 * index : 4 + 2 * index])


def test_attention_stands_at_its_side_once() -> None:
    sizes: list[int] = []
    generator = BigGANGenerator(8, WIDTHS, 1, classes=None, attention=8)
    critic = BigGANCritic(WIDTHS, DOWNS, (1, 32, 32), attention=8)
    for module, inputs in ((generator, torch.randn(2, 8)), (critic, torch.randn(2, 1, 32, 32))):
        for layer in module.modules():
            if isinstance(layer, SelfAttention):
                layer.register_forward_hook(lambda _, given, out: sizes.append(out.shape[-1]))
        module(inputs)
    assert sizes == [8, 8]


def test_the_projection_adds_a_product_with_the_class() -> None:
    torch.manual_seed(0)
    plain = BigGANCritic(WIDTHS, DOWNS, (1, 32, 32))
    critic = ProjectionCritic(plain, 4, classes=3)
    x, y = torch.randn(5, 1, 32, 32), torch.tensor([0, 1, 2, 0, 1])
    features = nn.Sequential(*list(plain)[:-1])(x)
    expected = plain(x).squeeze(1) + torch.stack(
        [critic.embedding.weight[c] @ h for c, h in zip(y, features, strict=True)]
    )
    torch.testing.assert_close(critic(x, y).squeeze(1), expected)


def test_weights_begin_orthogonal() -> None:
    generator = BigGANGenerator(16, (8, 8, 8, 8), 3, classes=2, shared=5)
    for module in (generator, BigGANCritic((8, 8, 8, 8), DOWNS, (3, 32, 32))):
        for layer in module.modules():
            if isinstance(layer, nn.Conv2d | nn.Linear | nn.Embedding):
                matrix = layer.weight.detach().flatten(1)
                matrix = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
                torch.testing.assert_close(matrix @ matrix.T, torch.eye(len(matrix)), rtol=0, atol=1e-5)
