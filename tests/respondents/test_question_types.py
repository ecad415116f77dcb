"""Every type of question that a page can ask, answered in headless Chromium, sent and
decoded.
"""

import pytest
from axe import broken
from respondent_pages import NEXT, begin, fingerprint_of, hosted, open_page

from ldp import parse_survey
from ldp_aggregator import estimate
from ldp_service.respondents.figures import TYPES
from ldp_service.respondents.presentation import parse_presentation

LEAVES = {"Illinois": ["Cook", "Lake"], "Texas": ["Harris", "Dallas"]}
PARENTS = ", ".join(
    f'{leaf} = "{top}"' for top, leaves in LEAVES.items() for leaf in leaves
)
SURVEY = parse_survey(f"""
[survey]
name = "kinds"
joint = ["smoker", "age"]
[[question]]
name = "smoker"
type = "boolean"
mechanism = "forced"
forced_true = "1/4"
forced_false = "1/4"
[[question]]
name = "way"
type = "category"
values = ["car", "bus", "bike"]
mechanism = "l-grr"
epsilon_first = "1"
epsilon_lifetime = "2"
[[question]]
name = "home"
type = "category"
parents = {{ {PARENTS} }}
levels = ["state", "county"]
mechanism = "auto"
epsilon = "1"
[[question]]
name = "pets"
type = "multi"
values = ["cat", "dog", "fish"]
most = 2
mechanism = "auto"
epsilon = "1"
[[question]]
name = "age"
type = "integer"
low = 0
high = 120
mechanism = "auto"
epsilon = "1"
[[question]]
name = "hours"
type = "number"
low = 0
high = 60
step = "0.5"
goal = "distribution"
mechanism = "auto"
epsilon = "1"
[[question]]
name = "minutes"
type = "key-value"
keys = ["maps", "mail", "chat"]
low = 0
high = 240
most = 2
mechanism = "auto"
epsilon = "1"
[[question]]
name = "app"
type = "text"
mechanism = "heavy-hitters"
epsilon = "1"
[[question]]
name = "habits"
type = "table"
mechanism = "auto"
epsilon = "1"
[[question.field]]
name = "drinks"
type = "boolean"
[[question.field]]
name = "sport"
type = "category"
values = ["never", "weekly", "daily"]
[[question]]
name = "place"
type = "place"
x = {{ low = 6, high = 10 }}
y = {{ low = 45, high = 48 }}
cells = 16
goal = "map"
mechanism = "auto"
epsilon = "1"
""")
PAGE = {
    "page": {"title": "Kinds"},
    "question": {
        "home": {"labels": {"Texas": "The Lone Star State"}},
        "hours": {"skip": "visible"},
    },
}
_FILL = """
const type = (field, text) => {
  field.value = text;
  field.dispatchEvent(new Event('input'));
};
const asked = [...document.querySelectorAll('.question')];
const named = (name) => asked.find((one) => one.querySelector('legend').innerText === name);
const fields = (name) => [...named(name).querySelectorAll('input:not([type=range]), select')];
for (const [name, place] of [['smoker', 0], ['way', 2], ['pets', 1], ['habits', 0], ['habits', 3]])
  if (named(name)) fields(name)[place].click();
if (named('home')) fields('home')[0].value = 'Dallas';
if (named('age')) type(fields('age')[0], '44');
if (named('hours')) type(fields('hours')[0], '31.5');
if (named('minutes')) type(fields('minutes')[3], '12.5');
if (named('app')) type(fields('app')[0], 'signal');
if (named('place')) fields('place').forEach((field, at) => type(field, ['8.5', '46.25'][at]));
"""
_STEPS = 9
"""Ten questions, two of which are answered together."""


@pytest.fixture(scope="module")
def host():
    candidates = {"app": ["signal", "whatsapp"]}
    with hosted(
        SURVEY, parse_presentation(SURVEY, PAGE), candidates=candidates
    ) as serving:
        yield serving


def test_every_type_is_asked_sent_and_decoded(chromium, host):
    """One question a page; the receipt says what was said, and a collector decodes the
    reports.
    """
    assert {question.domain.type for question in SURVEY} == {*TYPES}
    open_page(chromium, host, 1)
    begin(chromium)
    for _ in range(_STEPS):
        chromium.run(_FILL)
        chromium.run(NEXT)
    review = chromium.text("dl.review").translate(
        dict.fromkeys(map(ord, "\u2068\u2069"))
    )
    for words in ("Yes", "bike", "Dallas", "dog", "44", "31.5", "mail: 12.5", "signal"):
        assert words in review, review
    assert "drinks: Yes; sport: weekly" in review
    assert "x: 8.5; y: 46.25" in review
    host.log.clear()
    chromium.run(NEXT)
    chromium.wait("return document.querySelector('.receipt') !== null")
    assert f"has taken {len(list(SURVEY))} of" in chromium.text("main")
    bodies = [body for line, _, body in host.log if fingerprint_of(line, body)]
    assert len(bodies) == _STEPS
    assert estimate(SURVEY, b"".join(bodies))["age"].reports == 1
    assert chromium.complaints() == []


@pytest.mark.needs("axe-core")
def test_everyone_can_answer_every_type(chromium, host):
    """In the dark, on a screen as narrow as WCAG asks for: 320 pixels."""
    chromium.size(320, 700, mobile=True)
    chromium.prefer("dark")
    open_page(chromium, host, 4)
    begin(chromium)
    for step in range(_STEPS):
        assert broken(chromium) == [], step
        assert chromium.run(
            "return document.documentElement.scrollWidth <= innerWidth"
        ), step
        chromium.run(_FILL)
        chromium.run(NEXT)


def test_what_is_left_out_is_not_sent(chromium, host):
    """And said to be left out, before and after; a number that was typed before is
    none.
    """
    open_page(chromium, host, 3)
    begin(chromium)
    for _ in range(_STEPS):
        chromium.run(_FILL)
        chromium.run("document.querySelector('.question > .refusal input')?.click()")
        chromium.run(NEXT)
    review = chromium.text("dl.review")
    assert "left out" in review
    assert "31.5" not in review
    host.log.clear()
    chromium.run(NEXT)
    chromium.wait("return document.querySelector('.receipt') !== null")
    assert "has taken 9 of 9" in chromium.text("main")
    asked = {fingerprint_of(line, body) for line, _, body in host.log} - {b""}
    assert len(asked) == _STEPS - 1
    assert SURVEY["hours"].fingerprint not in asked


def test_values_of_a_tree_stand_below_what_is_above_them(chromium, host):
    """As groups of a menu, under the labels of the page."""
    open_page(chromium, host, 2)
    begin(chromium)
    for _ in range(2):
        chromium.run(_FILL)
        chromium.run(NEXT)
    groups = chromium.run(
        "return [...document.querySelectorAll('optgroup')].map((group) => "
        "[group.label, ...[...group.children].map((option) => option.value)])"
    )
    assert groups == [
        ["Illinois", "Cook", "Lake"],
        ["The Lone Star State", "Harris", "Dallas"],
    ]
