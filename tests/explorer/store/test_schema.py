import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.store.schema import decode, encode, metric_key, parse_metric_key


@pytest.mark.parametrize(
    ("budget", "key"),
    [
        (1, "K1/fid"),
        (1.0, "K1/fid"),
        (2.0, "K2/fid"),
        (1.5, "K1.5/fid"),
        (1e17, "K" + "1" + "0" * 17 + "/fid"),
    ],
)
def test_key_spells_the_budget_as_a_person_would(budget, key):
    assert metric_key(budget, "fid") == key


@given(
    st.floats(min_value=1, allow_nan=False, allow_infinity=False),
    st.sampled_from(["precision", "fid", "a/b"]),
)
def test_parsing_inverts_the_key(budget, name):
    assert parse_metric_key(metric_key(budget, name)) == (budget, name)


@pytest.mark.parametrize("key", ["precision", "K", "Kid/precision", "K/x", "lam_inert", "K2"])
def test_other_keys_have_no_budget(key):
    assert parse_metric_key(key) == (None, key)


@pytest.mark.parametrize("budget", [0.5, -1, math.inf, math.nan])
def test_budget_below_one_is_refused(budget):
    with pytest.raises(ValueError, match="budget K must be ≥ 1"):
        metric_key(budget, "fid")


@given(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=20),
    )
)
def test_params_keep_value_and_type(value):
    back = decode(encode(value))
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize("foreign", ["relu", "[1, 2]", "{}", "1e", ""])
def test_text_of_others_is_kept(foreign):
    assert decode(foreign) == foreign
