"""Words of the page in plain language: one table, which the glossary has as well.

Where a word stands as a heading it is a button that opens its meaning: by a click, a
touch or a key, which needs no script (`popover`), and browsers show it under a pointer
(`title`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "report": "what one device sends for one question: an answer with noise in it, "
        "never the answer itself",
        "epsilon": "how much one report can tell about an answer: the smaller, the "
        "more private; each report makes no answer more than e to the power of epsilon "
        "times likelier than another",
        "mechanism": (
            "how devices add noise to an answer, and how it is taken out of the sum "
            "again"
        ),
        "interval": "a range that holds the true number so often as the level says, "
        "over many surveys like this one",
        "level": (
            "how often intervals hold the true number: 0.95 stands for 19 out of 20"
        ),
        "simultaneous": "intervals that all hold together so often as the level says, "
        "and are wider for it",
        "estimand": "whom the errors are for: the respondents who answered, or the "
        "population that they are a sample of",
        "standard error": (
            "how far estimates like this one are from the truth, typically"
        ),
        "p-value": "how likely so high an estimate would be if no one held the value; "
        "small ones say that it is there",
        "detected": "values whose p-value says that someone holds them, with all "
        "values of the question allowed for",
        "frequency": "the share of those asked who hold a value, estimated without "
        "bias: so it may lie a little below 0",
        "mean": "the average of the numbers that people hold",
        "median": "the number that half of the answers lie at or below",
        "quantile": "the number that a given share of the answers lies at or below",
        "variance": "how much answers differ from their mean, squared",
        "epoch": "a stretch of time, such as a day, whose reports are counted together",
        "health": "whether reports look as the mechanism would have drawn them; forged "
        "or broken ones do not",
        "difference": "the second less the first, with its own interval; one that "
        "leaves 0 out is a difference",
        "level over time": "what the estimates of epochs are noise around; its band "
        "holds it as often as the level says",
        "cumulated": "all reports up to an epoch together: each point rests on more of "
        "them than the one before",
    }
)
"""By word, what it means; in the glossary under `On the page`."""
