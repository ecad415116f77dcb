"""Survey designs: published figures, closed forms, and intervals that hold what they
say.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from ldp import parse_survey
from ldp.errors import EstimateError, LDPError
from ldp_aggregator import design, number_design
from ldp_aggregator.analyses.designs.sizes import shares_for
from ldp_aggregator.analyses.designs.table import ROWS
from ldp_service.respondents.paper import rule_of

approx = pytest.approx
QUARTER = Fraction(1, 4)


@pytest.mark.parametrize(
    ("words", "counts", "shares", "errors"),
    [
        # Doping at two events: Ulrich and others 2018, 1,203 and 965 athletes.
        ("unrelated p=2/3 prevalence=1/2", "yes=550,no=653", [0.436], [0.0215]),
        ("unrelated p=2/3 prevalence=1/2", "yes=529,no=436", [0.572], [0.0240]),
        # Plagiarism by crosswise: Jann, Jerke and Krumpal 2012.
        ("crosswise p=1/4", "same=198,different=112", [0.2226], [0.0546]),
        # Five categories: the example of RRreg's forced response.
        (
            "forced a=.1 b=.2 c=.05 d=.1 e=.05",
            "a=501,b=518,c=174,d=212,e=95",
            [0.468, 0.29067, 0.132, 0.08267, 0.02667],
            [0.02436, 0.02456, 0.01654, 0.018, 0.01258],
        ),
        # A textbook's coin: heads, say yes.
        ("one-coin", "yes=18,no=12", [0.2], [0.1789]),
    ],
)
def test_published_figures(words, counts, shares, errors):
    """Shares and standard errors are those of the publications, to n - 1 for n."""
    estimates = design(words).estimate(counts).estimates[: len(shares)]
    assert [one.estimate for one in estimates] == approx(shares, abs=5e-4)
    assert [one.standard_error for one in estimates] == approx(errors, rel=3e-3)


def test_doping_intervals():
    """The published intervals are .394 to .479 and .524 to .618."""
    law = design("unrelated p=2/3 prevalence=1/2")
    assert law.estimate({"yes": 550, "no": 653})["yes"].interval == approx(
        (0.394, 0.479), abs=1e-3
    )
    assert law.estimate({"yes": 529, "no": 436})["yes"].interval == approx(
        (0.524, 0.619), abs=1e-3
    )


def test_the_anchor_corrects_inattention():
    """The example of cWise: 2,000 respondents, naive .195, corrected .1054, attentive
    .7729.
    """
    pi, attentive = 0.1053604, 0.7728571
    law = design("crosswise-anchor p=.15 anchor=.15")
    shares = np.array([attentive * pi, attentive * (1 - pi), 1 - attentive])
    joint = np.rint(2000 * shares @ np.array(law.law.arms[0].rows, dtype=float)).astype(
        int
    )
    counts = dict(zip(law.law.answers, joint.tolist(), strict=True))
    # The published margins: 1,427 the same to the question, 1,541 to the anchor.
    assert counts["yes+yes"] + counts["yes+no"] == approx(1427, abs=1)
    assert counts["yes+yes"] + counts["no+yes"] == approx(1541, abs=1)
    result = law.estimate(counts)
    assert result["yes, among the attentive"].estimate == approx(pi, abs=1e-3)
    assert result["yes, among the attentive"].standard_error == approx(0.0208, rel=0.05)
    assert 1 - result["answers by chance"].estimate == approx(attentive, abs=1e-3)


L1, L2 = 0.3, 0.6


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "cheater yes=.25,.75",
            {"yes": 0.15, "no": 0.6, "says no to everything": 0.25},
        ),
        ("cheating-triangular p=.25,.75", {"yes": 0.15, "says no to everything": 0.25}),
        (
            "lie-detector p=.75,.25",
            {
                "yes": 0.4,
                "admit it, among carriers": (L2 * 0.25 - L1 * 0.75) / (L2 - L1 - 0.5),
            },
        ),
        ("unrelated p=.7,.3", {"yes": 0.075, "innocuous yes": 0.825}),
        ("cheater yes=.2,.6 no=.1,.1", {"no": 0.75, "yes": 1 / 6}),
    ],
)
def test_two_samples(words, expected):
    """Shares are those of the closed forms of each model."""
    result = design(words).estimate({"yes": 30, "no": 70}, {"yes": 60, "no": 40})
    assert {name: result[name].estimate for name in expected} == approx(expected)


def test_extended_crosswise_sees_a_preference():
    """Turned answers pool to one estimate; a preference for one side shows, honest ones
    do not.
    """
    law = design("extended-crosswise p=.2")
    honest = law.estimate({"yes": 260, "no": 140}, {"yes": 140, "no": 260})
    assert honest["yes"].estimate == approx((0.65 - 0.8) / -0.6)
    assert honest.tests[0].p_value == approx(1)
    biased = law.estimate({"yes": 300, "no": 100}, {"yes": 200, "no": 200})
    # Twice the sum of n log(n / expected), of 300, 100 and the pooled 250, 150.
    saturated = 300 * math.log(300 / 250) + 100 * math.log(100 / 150)
    saturated += 200 * math.log(200 / 150) + 200 * math.log(200 / 250)
    assert biased.tests[0].statistic == approx(2 * saturated)
    assert biased.tests[0].p_value < 1e-10


def test_counts_of_cards():
    """Kuk's and Christofides's estimates go by means, with the variances that they
    published.
    """
    kuk = design("kuk red=.7,.2 cards=4")
    assert kuk.estimate("0=30,1=30,2=20,3=15,4=5")["yes"].estimate == approx(
        (1.35 / 4 - 0.2) / 0.5
    )
    pi, phi = 0.3, 0.35
    variance = (phi * (1 - phi) / 4 + 0.75 * pi * (1 - pi) * 0.25) / 0.25
    assert kuk.variance(pi) == approx(variance)
    cards = design("christofides marks=.1,.2,.3,.4")
    mean, spread = 3.0, 1.0
    assert cards.variance(pi) == approx(pi * (1 - pi) + spread / (5 - 2 * mean) ** 2)
    assert cards.estimate("1=20,2=30,3=20,4=30")["yes"].estimate == approx(
        (2.6 - mean) / -1
    )


def test_list_experiments():
    """The difference in means with its variance; a design effect shows; types of counts
    agree.
    """
    law = design("list items=3")
    control, treatment = "0=10,1=30,2=40,3=20", "0=10,1=20,2=40,3=20,4=10"
    result = law.estimate(control, treatment)["yes"]
    means, spreads = (1.7, 2.0), (0.81, 1.2)
    assert result.estimate == approx(means[1] - means[0])
    assert result.standard_error == approx(math.sqrt(sum(spreads) / 100))
    honest = law.estimate(control, treatment)
    changed = law.estimate(control, "0=50,1=20,2=20,3=10")
    assert honest.tests[0].p_value > 0.5
    # As many as 40 % more have none of four items than had none of three.
    assert changed.tests[0].p_value < 1e-8
    assert "no local privacy" in law.privacy
    with pytest.raises(EstimateError, match="'4' in control"):
        law.estimate("3=10,4=1", treatment)


def test_people_who_say_no_to_all_questions():
    """Expected counts give back the shares of the mixture; associated answers need
    four.
    """
    law = design("self-protective yes=1/6 no=1/6 questions=3")
    shares = [0.1, 0.2, 0.3]
    products = [
        0.8
        * math.prod(s if own else 1 - s for s, own in zip(shares, held, strict=True))
        for held in law.law.held
    ]
    chances = np.array([*products, 0.2]) @ np.array(law.law.arms[0].rows, dtype=float)
    counts = dict(
        zip(law.law.answers, np.rint(chances * 1e9).astype(int).tolist(), strict=True)
    )
    result = law.estimate(counts)
    assert [one.estimate for one in result.estimates] == approx(
        [0.2, *shares], abs=1e-6
    )
    with pytest.raises(EstimateError, match="four questions"):
        design("self-protective yes=1/6 no=1/6 questions=3 pairs=1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("warnr p=.7", "did you mean 'warner'"),
        ("warner q=.7", "parameter of 'warner p=...'"),
        ("warner p=7", "chances from 0 to 1"),
        ("warner p=.5", "tell 'yes' from 'no'"),
        ("warner", "expected p="),
        ("cheater yes=.3,.3", "tell 'yes' from 'no' from 'says no"),
        ("christofides marks=.25,.25,.25,.25", "other means"),
        ("unrelated p=.7", "prevalence="),
        ("forced yes=.6 no=.6", "leave some for the truth"),
        ("matrix no-such.csv", "no-such.csv"),
        ("warner 'p", "expected a design such as"),
    ],
)
def test_words_that_are_none(words, message):
    """Each says what was expected, and what may have been meant."""
    with pytest.raises(LDPError, match=message):
        design(words)


def test_a_matrix_has_no_name(tmp_path):
    """A law from a file, of two samples, is that of its row in the table."""
    path = tmp_path / "law.csv"
    rows = ["a,carrier,1,0", "a,other,1/4,3/4", "a,cheater,0,1"]
    rows += ["b,carrier,1,0", "b,other,3/4,1/4", "b,cheater,0,1"]
    path.write_text("arm,type,yes,no\n" + "\n".join(rows))
    result = design(f"matrix {path}").estimate("yes=30,no=70", "yes=60,no=40")
    assert result["carrier"].estimate == approx(0.15)


def test_privacy_is_said():
    """An exact epsilon where there is one; else which answer rules out what."""
    assert design("crosswise p=1/4").epsilon == approx(math.log(3))
    assert design("forced yes=1/6 no=1/6").law.ratio == 5
    assert math.isinf(design("triangular p=1/4").epsilon)
    assert "the answer 'no' rules out 'yes'" in design("mangat p=.7").privacy


def test_a_design_becomes_a_survey_file():
    """Devices and paper then ask by its very law; one that reveals, or asks otherwise,
    is none.
    """
    asked = parse_survey(design("two-stage t=1/4 p=2/3").to_toml("cheats"))["cheats"]
    assert asked.randomizer.channel().rows == (
        (1 - QUARTER, QUARTER),
        (QUARTER, 1 - QUARTER),
    )
    assert rule_of(asked).tosses == 2
    often = parse_survey(design("forced never=1/8 often=1/4").to_toml("often"))["often"]
    assert often.domain.values == ("never", "often")
    assert often.randomizer.channel().rows[0] == (1 - QUARTER, QUARTER)
    for words in (
        "triangular p=.2",
        "kuk red=.7,.2 cards=2",
        "extended-crosswise p=.2",
    ):
        with pytest.raises(EstimateError, match="one sample with a finite epsilon"):
            design(words).to_toml("q")


def test_missing_answers():
    """Answers that nobody gave leave an estimate at the edge."""
    anchored = design("crosswise-anchor p=.05 anchor=.05").estimate("yes+yes=12")
    assert anchored["answers by chance"].estimate == approx(0, abs=0.02)
    sides = design("warner p=.95; forced yes=1/4 no=1/4").estimate("no=25", "no=25")
    assert sides["yes"].estimate == approx(-0.05 / 0.9, abs=1e-3)


def test_far_below_zero_is_no_noise():
    """A remark names the models that estimate how many do not follow; noise is not
    remarked.
    """
    law = design("warner p=.9")
    far = law.estimate({"yes": 0, "no": 300})
    near = law.estimate({"yes": 28, "no": 272})
    assert [one.name for one in far.remarks if "lie-detector" in one.text] == [
        "not-followed"
    ]
    assert near["yes"].estimate < 0
    assert not [one for one in near.remarks if one.name == "not-followed"]


def test_sizes():
    """Sample sizes for 5 points about a share are published; those of a test give its
    power.
    """
    for words, share, people in (
        ("warner p=.7", 0.2, 2263),
        ("crosswise p=.16", 0.2, 692),
        ("unrelated p=.7 prevalence=.25", 0.2, 529),
        ("unrelated p=.7 prevalence=.05", 0.05, 149),
    ):
        assert design(words).sample_size(share, half_width=0.05) == approx(
            people, abs=1
        )
    asked = design("unrelated p=.7 prevalence=.05")
    size = asked.sample_size(0.05, other=0.1)
    assert asked.power(0.05, size, other=0.1) == approx(0.8, abs=2e-3)
    groups = asked.sample_size(0.05, other=0.1, groups=True)
    assert groups == approx(2 * size, rel=0.3)


def test_numbers():
    """Means of scrambled numbers are what their designs say, by hand."""
    answers = [8.0, 12.0, 10.0, 14.0]
    for words, mean, factor in (
        ("additive mean=3", 8, 1),
        ("multiplicative mean=2", 5.5, 2),
        ("unrelated-number p=1/2 mean=5", 17, 0.5),
        ("partial p=1/2 mean=3", 5.5, 2),
        ("eriksson p=1/2 numbers=1,9 chances=1/2,1/2", 17, 0.5),
        ("saha added=1 factor=2", 4.5, 2),
    ):
        result = number_design(words).estimate(answers)["mean"]
        assert (result.estimate, result.standard_error) == approx(
            (mean, np.std(answers, ddof=1) / 2 / factor)
        )
    two = number_design("unrelated-number p=.8,.3").estimate([5.0, 5.0], [10.0, 10.0])
    assert [one.estimate for one in two.estimates] == approx([3, 13])
    with pytest.raises(EstimateError, match="leave the number"):
        number_design("multiplicative mean=0")


CELLS = [
    ("extended-crosswise p=.2", 0.05, 400, {}),
    ("crosswise-anchor p=.15 anchor=.15", 0.2, 800, {"answers by chance": 0.2}),
    ("cheater yes=.25,.75", 0.1, 100, {"says no to everything": 0.1}),
    ("lie-detector p=.2,.8", 0.2, 800, {}),
    ("unrelated p=.8,.2", 0.1, 200, {}),
    ("list items=3", 0.1, 400, {}),
    ("kuk red=.7,.3 cards=5", 0.1, 150, {}),
    ("christofides marks=.1,.2,.3,.4", 0.3, 200, {}),
    ("triangular p=.25", 0.1, 300, {}),
    ("item-count prevalence=.2,.5,.3", 0.1, 300, {}),
]


@pytest.mark.parametrize(("words", "share", "people", "types"), CELLS)
@pytest.mark.slow("a thousand surveys of each design")
def test_intervals_hold_the_truth(words, share, people, types):
    """Of 1,000 surveys, 95 % intervals hold the share in 925 to 980.

    A coverage of .95 leaves this range with a chance below 1e-3 at the lower end, of
    .90 stays in it with one of 3e-3.
    """
    law = design(words)
    shares = dict(zip(law.law.types, shares_for(law.law, share, types), strict=True))
    truth = []
    for measure in law.law.measures:
        below = sum(shares[name] for name in measure.among) if measure.among else 1
        truth.append(sum(shares[name] for name in measure.of) / below)
    hits = np.zeros(len(truth))
    for seed in range(1000):
        result = law.estimate(*law.simulate(share, people, seed, types=types))
        ends = np.array([one.interval for one in result.estimates])
        hits += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    assert (hits >= 925).all(), hits
    assert (hits <= 980).all(), hits


def test_every_row_has_a_law_that_sums_to_one():
    """All rows of the table, by the numbers of their examples, are laws."""
    examples = {
        "warner": "p=.7",
        "crosswise": "p=.2",
        "extended-crosswise": "p=.2",
        "crosswise-anchor": "p=.2 anchor=.1",
        "forced": "yes=1/6 no=1/6",
        "one-coin": "",
        "unrelated": "p=.7 prevalence=1/12",
        "mangat": "p=.7",
        "triangular": "p=.2",
        "two-stage": "t=.3 p=.7",
        "kuk": "red=.7,.2",
        "christofides": "marks=.2,.8",
        "direct": "",
        "cheater": "yes=.2,.8",
        "cheating-triangular": "p=.2,.8",
        "lie-detector": "p=.2,.8",
        "self-protective": "yes=1/6 no=1/6 questions=4 pairs=1",
        "list": "items=2",
        "item-count": "prevalence=.5,.2",
    }
    assert examples.keys() == ROWS.keys()
    for name, words in examples.items():
        law = design(f"{name} {words}").law
        assert {sum(row) for arm in law.arms for row in arm.rows} == {1}
