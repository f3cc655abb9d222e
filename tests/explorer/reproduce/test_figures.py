"""Every registered figure builds, shows what its paper says, and is drawn by a browser."""

import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from typer import Typer
from typer.testing import CliRunner

from explorer.cli.reproduce import reproduce
from explorer.errors import UserError
from explorer.reproduce import REPRODUCTIONS, reproduction
from explorer.reproduce.page import page

NAMES = [entry.name for entry in REPRODUCTIONS]


@cache
def built(name):
    return reproduction(name).build()


def run(*arguments):
    app = Typer()
    app.command()(reproduce)
    return CliRunner().invoke(app, list(arguments))


def traces(name, panel=0, kind="scatter"):
    return {t.name: t for t in built(name)[panel].figure.data if t.type == kind and t.name}


@pytest.mark.parametrize("name", NAMES)
def test_panels_hold_finite_data_and_say_what_they_show(name):
    for panel in built(name):
        assert len(panel.caption) > 40
        assert panel.figure.data
        for trace in panel.figure.data:
            for values in (trace.x, trace.y, getattr(trace, "z", None)):
                assert values is None or np.isfinite(np.asarray(values, dtype=float)).all()


@pytest.mark.parametrize("name", ["thesis-4.1", "thesis-4.6", "thesis-6.15"])
def test_the_star_is_where_the_landscape_is_lowest(name):
    data = built(name)[0].figure.data
    for surface, star in zip(data[::2], data[1::2], strict=True):
        z = np.asarray(surface.z)
        i = np.abs(np.asarray(surface.y) - star.y[0]).argmin()
        j = np.abs(np.asarray(surface.x) - star.x[0]).argmin()
        # The star lies between grid points: its cell is within a curvature's worth of the lowest.
        assert z[i, j] <= z.min() + 0.02 * (z.max() - z.min())


def test_six_divergences_split_into_covering_and_seeking():
    laws = traces("thesis-4.2")
    height = {title: max(trace.y) for title, trace in laws.items()}
    assert all(height[title] < 0.13 for title in ("KL", "χ²", "Hellinger²"))
    assert all(height[title] > 0.24 for title in ("reverse KL", "JS", "TV"))


def test_each_trade_off_is_best_at_its_own_ray():
    curves = traces("thesis-4.8")

    def precision_at(title, lam):
        alpha, beta = (np.asarray(v) for v in (curves[title].x, curves[title].y))
        return np.interp(np.log(lam), np.log(alpha / beta), alpha)

    for lam in (0.1, 1.0, 10.0):
        own = precision_at(f"λ = {lam:g}", lam)
        assert all(own >= precision_at(title, lam) - 1e-3 for title in curves)


def test_refinement_after_the_fact_does_not_catch_up():
    curves = traces("thesis-6.15", 1)

    def area(title):
        alpha, beta = (np.asarray(v) for v in (curves[title].x, curves[title].y))
        order = np.argsort(alpha)
        return np.trapezoid(beta[order], alpha[order])

    assert area("trained through K = 2, refined") > area("trained at K = 1, then refined") + 0.25
    assert area("trained at K = 1, then refined") < area("trained at K = 1") + 0.02


def test_names_are_unique_and_places_are_given():
    assert len(set(NAMES)) == len(NAMES)
    assert "all" not in NAMES
    assert all("page" in entry.place for entry in REPRODUCTIONS)
    wanted = {f"thesis-4.{i}" for i in range(1, 9)} | {"thesis-6.13", "thesis-6.15"}
    assert wanted <= set(NAMES)


def test_the_list_names_every_figure():
    result = run()
    assert result.exit_code == 0
    assert all(entry.name in result.output and entry.place in result.output for entry in REPRODUCTIONS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["thesis4.1"], "did you mean 'thesis-4.1'"),
        (["zzzzzz"], "for the list"),
        (["thesis-4.4", "--html", "no/such/folder/x.html"], "does not exist"),
        (["thesis-4.4", "--html", "."], "must name a file"),
        (["--html", "x.html"], "needs a figure"),
    ],
)
def test_mistakes_get_a_sentence(arguments, words):
    result = run(*arguments)
    assert isinstance(result.exception, UserError)
    assert words in str(result.exception)


def test_one_figure_is_written_where_asked(tmp_path):
    target = tmp_path / "one.html"
    result = run("thesis-4.4", "--html", str(target))
    assert result.exit_code == 0, result.output
    text = target.read_text(encoding="utf-8")
    assert "Figure 4.4, page 59" in text
    assert text.count("plotly.js v") == 1


@pytest.mark.browser
def test_a_browser_draws_the_whole_page_from_one_file(tmp_path, context):
    target = tmp_path / "all.html"
    target.write_text(page([(entry, built(entry.name)) for entry in REPRODUCTIONS]), encoding="utf-8")
    errors = []
    view = context.new_page()
    view.on("pageerror", lambda error: errors.append(str(error)))
    view.on("request", lambda request: request.url.startswith("http") and errors.append(request.url))
    view.goto(target.as_uri())
    view.wait_for_selector(".js-plotly-plot .scatterlayer path")
    drawn = view.locator(".js-plotly-plot").count()
    places = view.locator("p", has_text="page").count()
    view.close()
    assert errors == []
    assert drawn == sum(len(built(name)) for name in NAMES)
    assert places >= len(NAMES)


def test_the_command_module_imports_nothing_heavy():
    code = (
        "import sys, explorer.cli.reproduce; "
        "heavy = {'torch', 'ray', 'mlflow', 'plotly'} & set(sys.modules); print(heavy); sys.exit(bool(heavy))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
