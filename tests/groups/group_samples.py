"""A survey with attributes, and people."""

import numpy as np

import ldp
from ldp_simulations import randomize

MODES = ["car", "bus", "bike"]
PLATFORM = ldp.attribute("platform", ["android", "ios"])
DAILY = {"epsilon_first": 1, "epsilon_lifetime": 2}
COUNTRY = ldp.attribute("country", ["de", "us"], questions=["mode", "ok"])


def questions(mechanism="grr"):
    """Two questions of all attributes, and one without a country."""
    return (
        ldp.question("mode", MODES, mechanism=mechanism, epsilon="2"),
        ldp.question("ok", type="boolean", mechanism="grr", epsilon="1"),
        ldp.question(
            "daily",
            type="boolean",
            mechanism="l-grr",
            epsilon_first=1,
            epsilon_lifetime=2,
        ),
    )


def survey_of(*asked, **keys):
    """The survey, of some questions or all of them."""
    listed = [PLATFORM, COUNTRY] if not asked else [PLATFORM]
    return ldp.survey("groups", *(asked or questions()), attributes=listed, **keys)


SURVEY = survey_of()


def people_of(number, seed=1):
    """As many people; those on phones of one make cycle more."""
    random = np.random.default_rng(seed)
    platform = random.choice(["android", "ios", None], number, p=[0.6, 0.35, 0.05])
    bikes = np.where(platform == "ios", 0.6, 0.2)
    return {
        "mode": np.where(random.random(number) < bikes, "bike", "car"),
        "ok": random.random(number) < 0.3,
        "daily": random.random(number) < 0.5,
        "platform": platform,
        "country": random.choice(["de", "us", None], number, p=[0.8, 0.18, 0.02]),
    }


def reports_of(survey, number, seed=1):
    """Reports of as many people, as the bytes of a file."""
    return randomize(survey, people_of(number, seed), seed=seed)
