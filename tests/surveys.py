"""Surveys for many tests: that of the documentation, and one with each way of
answering.
"""

from ldp import parse_survey

COMMUTE = """
[survey]
name = "commute-2026"

[[question]]
name = "smoker"
text = "Do you smoke?"
type = "boolean"
epsilon = "1"
mechanism = "warner"

[[question]]
name = "transport"
type = "category"
values = ["car", "bus", "bike", "walk"]
epsilon = "1"
mechanism = "oue"

[[question]]
name = "homepage"
type = "text"
mechanism = "rappor"
bloom_bits = 128
hashes = 2
cohorts = 16
p = "0.5"
q = "0.75"
f = "0.5"
candidates = "homepages.txt"
"""
COMMUTE_SURVEY = parse_survey(COMMUTE)

# The instantaneous response of a `mirror` is as good as none (a bit changes once in
# 2^64): reports show permanent bits.
MIRROR = 'p = "0"\nq = "1"\nf = "0.5"\nmechanism = "rappor"\n'
DEVICE = f"""
[survey]
name = "device"
[[question]]
name = "once"
type = "category"
values = ["red", "green", "blue"]
epsilon = "1"
mechanism = "grr"
[[question]]
name = "bits"
type = "category"
values = ["red", "green", "blue"]
epsilon = "1"
mechanism = "oue"
[[question]]
name = "mirror"
type = "text"
bloom_bits = 64
hashes = 2
cohorts = 1000
{MIRROR}
[[question]]
name = "listed"
type = "category"
values = ["red", "green", "blue"]
{MIRROR}
[[question]]
name = "bare"
type = "text"
bloom_bits = 64
hashes = 2
cohorts = 4
mechanism = "rappor"
p = "0.25"
q = "0.75"
f = "0"
"""
DEVICE_SURVEY = parse_survey(DEVICE)
ONCE, REPEATABLE = ("once", "bits", "bare"), ("mirror", "listed")


def survey_of(*questions, name="s", head=""):
    """A survey of questions that are given by their keys."""
    tables = "".join(f"[[question]]\n{keys}\n" for keys in questions)
    return parse_survey(f'[survey]\nname = "{name}"\n{head}\n{tables}')


def yes_no(name, epsilon="1"):
    """The keys of a question that one report answers."""
    return (
        f'name = "{name}"\ntype = "boolean"\nmechanism = "grr"\nepsilon = "{epsilon}"'
    )


def map_of(cells, keys):
    """A survey that asks for a place on a square map of cells by cells."""
    axes = "x = { low = 0, high = 1 }\ny = { low = 0, high = 1 }"
    return survey_of(
        f'name = "home"\ntype = "place"\n{axes}\ncells = {cells}\n{keys}', name="city"
    )


def mirror(name, values=4):
    """The keys of a question whose reports show the permanent response."""
    return (
        f'name = "{name}"\ntype = "text"\nbloom_bits = 64\nmemoized_values = '
        f"{values}\n{MIRROR}"
    )


SMALL = """
[survey]
name = "small"
[[question]]
name = "pet"
type = "category"
values = ["cat", "Ж", "none"]
mechanism = "grr"
epsilon = "3"
"""
