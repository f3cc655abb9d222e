"""A name from a file becomes a divergence, or a sentence that says which names there are."""

from __future__ import annotations

import math

import pytest

from trainables.divergences import DIVERGENCES, divergence


def test_lookup():
    assert divergence("kl") is DIVERGENCES["kl"]
    assert divergence("amari", alpha=0.5).name == "amari(0.5)"
    assert divergence("pr", lam=2.0).lipschitz == 2.0
    for arguments, words in [
        (("jefreys",), "did you mean 'jeffreys'"),
        (("zzz",), "it can be kl, reverse_kl"),
        (("amari",), "needs its α"),
        (("pr",), "needs its λ"),
        (("kl", 0.5), "only amari"),
        (("kl", None, 0.5), "only pr"),
        (("amari", math.inf), "finite"),
    ]:
        with pytest.raises(ValueError, match=words):
            divergence(*arguments)


def test_every_member_is_found_under_its_own_name():
    assert [div.name for div in DIVERGENCES.values()] == list(DIVERGENCES)
    assert all(divergence(name) is div for name, div in DIVERGENCES.items())


def test_the_registry_cannot_be_written_to():
    with pytest.raises(TypeError):
        DIVERGENCES["kl"] = DIVERGENCES["tv"]
