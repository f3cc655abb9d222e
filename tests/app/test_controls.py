"""A control shows what it is told, and speaks when it is touched only."""

from __future__ import annotations

from tests.app.running import run_part


def page() -> None:
    import streamlit as st

    from app.controls import control
    from app.wishes import wished

    options = st.session_state.setdefault("options", ["a", "b"])
    shown = wished("s").x or options[0]
    st.selectbox("X", options, **control("s", "x", shown))
    st.number_input("N", value=None, **control("s", "n", None, lambda n: st.session_state.update(told=n)))
    st.text(str(wished("s").x))
    st.text(str(st.session_state.get("told")))


def test_a_value_nobody_chose_follows_the_page_and_a_chosen_one_stays() -> None:
    app = run_part(page)
    assert (app.selectbox[0].value, app.text[0].value) == ("a", "None")
    app.session_state["options"] = ["z", "a", "b"]
    app.run()
    assert (app.selectbox[0].value, app.text[0].value) == ("z", "None")
    app.selectbox[0].select("b").run()
    assert (app.selectbox[0].value, app.text[0].value) == ("b", "b")
    app.session_state["options"] = ["y", "z", "a", "b"]
    app.run()
    assert (app.selectbox[0].value, app.text[0].value) == ("b", "b")


def test_a_control_of_its_own_kind_says_where_its_value_goes() -> None:
    app = run_part(page)
    assert app.text[1].value == "None"
    app.number_input[0].set_value(3.0).run()
    assert app.text[1].value == "3.0"
