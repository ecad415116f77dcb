"""How the page is made: every text as text, round scales, colours that differ."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from html_elements import read
from pages import HOSTILE, HOSTILE_VALUES, TOKEN, answers, service_of, visitor
from surveys import survey_of

import ldp_service
from ldp_aggregator import Options
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.output.markup import join, tag
from ldp_aggregator.output.pictures.parts import STYLE
from ldp_aggregator.output.pictures.picture import chart
from ldp_aggregator.output.pictures.scale import AxisScale
from ldp_aggregator.output.sheet import MOST_BARS, Bars
from ldp_service.page.sections.downloads import DOWNLOADS, download


def hostile_page(folder):
    """The page of a survey whose texts and values are all that markup fears, and its
    picture.
    """
    with service_of(HOSTILE, folder=folder) as service:
        service.writer.write(answers(service.catalogue.all[0].survey, 50))
        person = visitor(service, TOKEN)
        return person.get("/"), person.get(
            "/v1/surveys/hostile/estimates?format=svg"
        ).text


def test_no_text_becomes_markup(tmp_path):
    """Texts and values that would be markup are shown letter by letter; the only script
    is ours.
    """
    answer, picture = hostile_page(tmp_path)
    page = read(answer)
    assert [script.attributes for script in page.find("script")] == [
        {"src": "page/page.js", "type": "module"}
    ]
    assert not page.find("img")
    assert not page.find("b")
    assert not [
        name
        for element in page.all
        for name in element.attributes
        if name.startswith("on") or name == "style"
    ]
    rows = page.find("tbody")[0].find("tr")
    assert [row.find("bdi")[0].text for row in rows] == list(HOSTILE_VALUES)
    assert HOSTILE_VALUES[1] in page.find("section", id="question-q")[0].text
    root = ElementTree.fromstring(picture)  # noqa: S314  # our own
    labels = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(HOSTILE_VALUES) <= set(labels)


def test_markup_escapes_every_text():
    """In children and in attributes, but not twice; what XML cannot hold is shown as
    such.
    """
    assert (
        tag("p", "<&>\"'", title='"<')
        == '<p title="&quot;&lt;">&lt;&amp;&gt;&quot;&#x27;</p>'
    )
    assert join([tag("b", "<"), "<"]) == "<b>&lt;</b>&lt;"
    assert tag("i", "a\x00\x1b\ud800b") == "<i>a\ufffd\ufffd\ufffdb</i>"
    assert tag("input", required=True, hidden=False, value=None) == "<input required>"


def test_many_values_make_no_longer_page():
    """The 40 most frequent are drawn, and the page says so."""
    size = 100_000
    values = ", ".join(f'"{number}"' for number in range(size))
    keys = (
        f'name = "q"\ntype = "category"\nvalues = [{values}]\nmechanism = '
        '"grr"\nepsilon = 1'
    )
    survey = survey_of(keys)
    counts = np.zeros((1, size), dtype=np.int64)
    counts[0, :: size // 50] = np.arange(50)
    estimates = estimate_question(survey["q"], counts, Options())
    assert chart(estimates.bars(), "q").count('<rect class="bar') == MOST_BARS == 40
    assert (
        len(download(SurveyEstimates("s", "", {"q": estimates}), DOWNLOADS["svg"]))
        < 50_000
    )


def test_bars_of_either_side_meet_at_zero():
    """Bars of numbers below zero end where the others begin."""
    ends = np.array([-0.4, 0.2])
    panel = Bars(
        "x", "", ("a", "b"), lengths=ends, low=ends - 0.1, high=ends + 0.1, unit=""
    )
    picture = ElementTree.fromstring(chart(panel, "x"))  # noqa: S314  # our own
    (start, width), (zero, _) = (
        [float(bar.get(key)[:-1]) for key in ("x", "width")]
        for bar in picture.findall(".//{*}rect[@class='bar']")
    )
    assert start + width == pytest.approx(zero, abs=0.002)  # both are rounded


def test_a_scale_has_round_ticks_around_its_numbers():
    """From a tick at or below the least, zero included, to one at or above the
    greatest.

    Steps are 1, 2, 2.5 or 5.
    """
    for numbers_ in (
        [0.13, 0.42],
        [-0.03, 0.9],
        [1e-7, 3e-7],
        [-5.0],
        [],
        [float("nan")],
        [0.0],
    ):
        scale = AxisScale.over(numbers_)
        finite = [number for number in numbers_ if number == number]
        assert scale.low <= min([0, *finite])
        assert scale.high >= max([0, *finite])
        assert 0 in scale.ticks
        steps = np.diff(scale.ticks)
        assert np.allclose(steps, steps[0])
        assert 2 <= len(scale.ticks) <= 8


CSS = Path(ldp_service.__file__).parent / "page" / "static" / "page.css"
COLOURS = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
DRAWN = re.compile(r"\.chart \.?([a-z-]+)(?=[ ,][^}]*?(?:fill|stroke): (#[0-9a-f]{6}))")


def luminance(colour):
    """The relative luminance of the Web Content Accessibility Guidelines."""
    parts = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    """Their contrast ratio."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_apart(scheme):
    """Text has a contrast of 4.5 or more with what is behind it, what is drawn one of
    3.
    """
    colours, drawn = {}, {}
    for path, colour, seen in ((CSS, COLOURS, colours), (STYLE, DRAWN, drawn)):
        light, dark = re.split(r"@media.*dark\)", path.read_text(encoding="utf-8"))
        seen |= dict(colour.findall(light))
        seen |= dict(colour.findall(dark)) if scheme == "dark" else {}
    for ground in ("ground", "behind"):
        for ink in ("ink", "faint", "link", "good", "bad"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
        for text in ("text", "tick", "truth-words"):
            assert contrast(drawn[text], colours[ground]) >= 4.5, text
    assert contrast(colours["bad"], colours["bad-ground"]) >= 4.5
    for kind in ("bar", "dot", "whisker", "ring", "truth"):
        assert contrast(drawn[kind], colours["ground"]) >= 3, kind
    assert contrast(drawn["dot"], drawn["bar"]) >= 2.9
