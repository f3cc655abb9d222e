"""The weights of the trade-offs are those of corollary 4.3.2, JS corrected."""

from __future__ import annotations

import numpy as np

from tests.explorer.reproduce.built import built, traces


def test_weights_are_the_printed_powers_of_lambda():
    drawn = traces("thesis-4.10")
    lam = np.asarray(drawn["KL: 1/λ²"].x)
    expected = {
        "KL: 1/λ²": lam**-2,
        "reverse KL: 1/λ": 1 / lam,
        "JS: 1/2λ(λ+1)": 1 / (2 * lam * (lam + 1)),
        "JS as printed: 1/λ(λ+1)": 1 / (lam * (lam + 1)),
    }
    assert set(drawn) == set(expected)
    for title, values in expected.items():
        np.testing.assert_allclose(drawn[title].y, values, rtol=2e-3, err_msg=title)


def test_kl_weighs_recall_more_than_reverse_kl_does_and_precision_less():
    drawn = traces("thesis-4.10")
    kl, reverse = drawn["KL: 1/λ²"], drawn["reverse KL: 1/λ"]
    lam, more = np.asarray(kl.x), np.asarray(kl.y) > np.asarray(reverse.y)
    assert more[lam < 0.99].all()
    assert not more[lam > 1.01].any()


def test_the_factor_of_js_is_told():
    js = built("thesis-4.10")[0].numbers[-1]
    assert (js.printed, js.computed) == ("1/2", "0.25")
