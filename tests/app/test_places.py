"""Which address a visit reads: never one that only a link names, and no other where others could ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import places
from tests.app.running import run_part

OWN = "sqlite:///own.db"


@pytest.fixture(autouse=True)
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", OWN)
    monkeypatch.setenv("TRADEOFF_HOST", "127.0.0.1")
    monkeypatch.delenv("TRADEOFF_OPEN", raising=False)


def page() -> None:
    import streamlit as st

    from app import places
    from explorer.errors import UserError

    def take(address: str) -> None:
        try:
            places.choose(address)
        except UserError as error:
            st.session_state["told"] = str(error)

    st.button("choose", on_click=take, args=(st.query_params.get("try", "mine.csv"),))
    st.text(places.chosen_place())
    st.text(str(places.offered()))
    st.text(str(places.link()))
    st.text(st.session_state.get("told", ""))


def texts(app: AppTest) -> list[str]:
    assert not app.exception
    return [text.value for text in app.text]


def visit(**query: str) -> AppTest:
    app = AppTest.from_function(page, default_timeout=90)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table beside which the app was started."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.csv"
    file.write_text("lr,metric:precision\n0.1,0.5\n")
    return str(file)


def test_a_visit_reads_the_commands_own_until_its_reader_chooses(mine: str) -> None:
    app = run_part(page)
    assert texts(app) == [OWN, "None", "{}", ""]
    app.button[0].click().run()
    assert texts(app) == [mine, "None", str({"at": mine}), ""]


def test_what_a_link_asks_for_is_asked_of_the_place_it_names(mine: str) -> None:
    def page() -> None:
        import streamlit as st

        from app import places

        st.button("open", on_click=places.choose, args=("mine.csv",))
        st.text(str(sorted(places.link_query())))

    app = AppTest.from_function(page, default_timeout=90)
    app.query_params["at"] = mine
    app.query_params["sweep"] = "mine"
    assert texts(app.run()) == ["[]"], "not of the command's own"
    app.button[0].click().run()
    assert texts(app) == ["['at', 'sweep']"]


def test_a_link_offers_an_address_and_does_not_open_it() -> None:
    app = visit(at="theirs.csv")
    assert texts(app)[:2] == [OWN, "theirs.csv"]
    assert texts(visit(at=OWN))[1] == "None"
    assert texts(visit(at="\x1b[31m"))[1] == "None"


def test_passwords_stay_out_of_the_url() -> None:
    app = visit(**{"try": "postgresql://me:secret@host/db"})
    app.button[0].click().run()
    assert texts(app)[2] == "{}"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.3", "::", "example.org"])
def test_a_page_that_others_reach_opens_nothing_else(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOST", host)
    assert not places.may_open("mine.csv")
    assert places.may_open(OWN)
    app = visit(at="theirs.csv")
    app.button[0].click().run()
    assert texts(app)[:3] == [OWN, "None", "{}"]
    assert "TRADEOFF_OPEN=1" in texts(app)[3]
    monkeypatch.setenv("TRADEOFF_OPEN", "1")
    assert places.may_open("mine.csv")


@pytest.mark.parametrize("address", ["", "x" * 2001, "a\nb", "\u202e.csv"])
def test_what_is_no_address_is_none(address: str) -> None:
    assert places.is_open()
    assert not places.may_open(address)


def test_what_may_not_be_opened_any_more_gives_way(monkeypatch: pytest.MonkeyPatch, mine: str) -> None:
    app = run_part(page)
    app.button[0].click().run()
    assert texts(app)[0] == mine
    monkeypatch.setenv("TRADEOFF_HOST", "0.0.0.0")
    app.run()
    assert texts(app)[0] == OWN
