"""A control shows what it is told, and speaks when it is touched only."""

from __future__ import annotations

from tests.app.running import run_part


def page() -> None:
    import streamlit as st

    from app.controls import begin_at, control
    from app.wishes import wished

    options = st.session_state.setdefault("options", ["a", "b"])
    shown = wished("s").x or options[0]
    st.selectbox("X", options, begin_at(options, shown), **control("s", "x", shown))
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


def test_a_widget_is_never_told_a_value_that_the_browser_might_contradict() -> None:
    """What the page chose anew is the beginning of a new widget; the old one can say what it likes."""
    app = run_part(page)
    first = app.selectbox[0].proto
    assert (first.default, first.set_value) == (0, False)
    app.session_state["options"] = ["z", "a", "b"]
    app.run()
    second = app.selectbox[0].proto
    assert (second.default, second.set_value) == (0, False)
    assert second.id != first.id
    app.run()
    assert app.selectbox[0].proto.id == second.id
    app.selectbox[0].select("b").run()
    assert app.selectbox[0].proto.id == second.id, "the reader's own hand is followed without a new widget"


def test_what_the_browser_still_says_of_a_widget_that_has_gone_is_not_heard() -> None:
    """A page drawn again while it is drawn: the browser has not yet taken the old widget away, and speaks of both."""
    app = run_part(page)
    before = app._tree.get_widget_states()
    app.session_state["options"] = ["z", "a", "b"]
    app.run()
    both = app._tree.get_widget_states()
    both.widgets.extend(before.widgets)
    assert len({widget.id for widget in both.widgets}) == 3, "two of X, one of N"
    app = app._run(both)
    assert not app.exception
    assert (app.selectbox[0].value, app.text[0].value) == ("z", "None")


def choices() -> None:
    import streamlit as st

    from app.controls import control

    chosen = st.session_state.setdefault("chosen", [])
    options = ["a", "b", "c"]
    start = [option for option in options if option in chosen]
    shown = control("s", "many", start, lambda many: st.session_state.update(chosen=many))
    st.multiselect("Many", options, start, **shown)


def test_choices_in_another_order_are_the_same_widget() -> None:
    app = run_part(choices)
    before = app.multiselect[0].proto.id
    app.multiselect[0].select("c").run()
    app.multiselect[0].select("a").run()
    assert app.multiselect[0].value == ["c", "a"]
    assert app.multiselect[0].proto.id == before
    app.session_state["chosen"] = []
    app.run()
    assert app.multiselect[0].value == []
    assert app.multiselect[0].proto.id != before
