"""Back and forward lead from page to page, and what was set is no place of its own."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.app.browsing import WAIT, settle, until_points, visit
from tests.app.conftest import Server
from tests.app.made_sweep import MADE

pytestmark = pytest.mark.browser


def test_back_leads_to_the_page_before_whatever_was_set(page: Page, server: Server) -> None:
    visit(page, server, sweep=MADE)
    page.get_by_text("Single seeds").click()
    until_points(page, 26)
    page.get_by_role("link", name="Budget").click()
    page.wait_for_function("window.__tradeoffCharts?.budget", timeout=WAIT)
    expect(page).to_have_url(re.compile("seeds=1"), timeout=WAIT)
    page.get_by_role("slider", name="Draws for one sample").press("End")
    expect(page).to_have_url(re.compile("k=4"), timeout=WAIT)
    settle(page)
    page.go_back()
    until_points(page, 26)
    expect(page).to_have_url(re.compile(r"/\?.*k=4"), timeout=WAIT)
    page.go_forward()
    page.wait_for_function("window.__tradeoffCharts?.budget", timeout=WAIT)
    expect(page).to_have_url(re.compile("/budget.*k=4"), timeout=WAIT)
