"""Tables of numbers."""

from app.views.tables import html_table


def test_text_is_text_and_chosen_rows_are_marked():
    found = str(html_table(["<b>A</b>", "B"], [["<i>1</i>", "2"], ["3", "4"]], on=[1]))
    assert "<b>A" not in found
    assert "&lt;i&gt;1" in found
    assert found.count('class="on"') == 1
    assert found.index('class="on"') > found.index("&lt;i&gt;1")
