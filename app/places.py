"""Which address this visit reads: the command's own, unless its reader chose another on the Data page.

A link never opens an address by itself. A page that is open to others reads no other address at all, since whoever
could name one could have this machine read any file or ask any server: only one that listens on this machine alone
does, or one whose command was told so.
"""

from __future__ import annotations

import os

import streamlit as st

from app import reading
from explorer.errors import UserError
from explorer.sources.opening import checked_source
from explorer.store.addresses import has_password, named_address, shown_address

__all__ = ["AT", "choose", "chosen_place", "is_open", "link", "link_query", "may_open", "offered"]

AT = "at"
"""The URL's word for an address."""

KEY = "place"
LINK = "link"
LOCAL = ("127.0.0.1", "localhost", "::1")
LONGEST = 2000
"""Characters of an address."""


def chosen_place() -> str:
    """The address that this visit reads."""
    own = reading.tracking_uri()
    chosen = st.session_state.get(KEY, own)
    return chosen if may_open(chosen) else own


def choose(address: str) -> None:
    """Read that address from now on; one that may not be opened is refused."""
    address = address.strip()
    if not may_open(address):
        raise UserError(
            f"another address can be opened where the app listens on 127.0.0.1 or was started with TRADEOFF_OPEN=1, "
            f"got {shown_address(address)!r}"
        )
    st.session_state[KEY] = checked_source(named_address(address, "the address"))


def may_open(address: str) -> bool:
    """Whether this page may read an address: its own, and others where nobody but this machine's user can ask."""
    if address == reading.tracking_uri():
        return True
    return is_open() and 0 < len(address) <= LONGEST and address.isprintable()


def is_open() -> bool:
    """Whether other addresses than the command's own may be opened."""
    if os.environ.get("TRADEOFF_OPEN") == "1":
        return True
    host = os.environ.get("TRADEOFF_HOST") or st.get_option("server.address") or ""
    return host in LOCAL


def offered() -> str | None:
    """The address that the URL names and this visit does not read; it is opened by a button, never by the link."""
    address = _named()
    return address if address and not _is_at(address) and may_open(address) else None


def link_query() -> dict[str, list[str]]:
    """What the link that began this visit asks for of the place that is read; nothing where it is about another."""
    address = _named()
    meant = _is_at(address) if address and may_open(address) else chosen_place() == reading.tracking_uri()
    return _link() if meant else {}


def _link() -> dict[str, list[str]]:
    """The URL of the visit's first look: later the page has written its own."""
    found: dict[str, list[str]] = st.session_state.setdefault(
        LINK, {key: st.query_params.get_all(key) for key in st.query_params}
    )
    return found


def _named() -> str:
    """The address that the link names, empty if none."""
    found = _link().get(AT)
    return found[-1].strip() if found else ""


def _is_at(address: str) -> bool:
    """Whether an address, as somebody wrote it, is the place that is read."""
    place = chosen_place()
    try:
        return place == address or place == checked_source(address)
    except UserError:
        return False


def link() -> dict[str, str]:
    """What the URL has to say of the place: nothing of the command's own, nor of one that has a password in it."""
    place = chosen_place()
    return {} if place == reading.tracking_uri() or "@" in place or has_password(place) else {AT: place}
