"""English words found without a list of them: `python -m lab.benchmarks.heavy_hitters`.

Needs the package wordfreq, for the frequencies of 300,000 words; nothing else of the
project does. Each survey is asked of a million respondents, `SEARCHES` times anew, with
other respondents, randomness and hash functions. Of words that the survey's alphabet
and length admit, those above the frequency announced beforehand have to be found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ldp import Question, parse_survey
from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp_aggregator import Options
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.decoders.other_results import SearchReach
from ldp_aggregator.decoders.search.reach import expected_reach
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.table import sample_counts

RESPONDENTS, SEARCHES = 1_000_000, 20

SURVEYS = {
    "any text of up to 32 bytes": "",
    "letters, up to 15": """alphabet = "abcdefghijklmnopqrstuvwxyz'"\nlongest = 15\n""",
}


class Outcome(NamedTuple):
    """What came of one survey: words promised and found, texts found, covered and
    invented.
    """

    promised: int
    kept: int
    found: int
    covered: int
    wrong: int


def words() -> dict[str, float]:
    """English words with their shares, the most frequent first."""
    from wordfreq import get_frequency_dict

    frequency = sorted(get_frequency_dict("en").items(), key=lambda pair: -pair[1])
    total = sum(share for _, share in frequency)
    return {word: share / total for word, share in frequency}


def question(keys: str, hash_seed: int) -> Question:
    """The question of a survey."""
    head = '[survey]\nname = "words"\n[[question]]\nname = "word"\n'
    head += 'type = "text"\nmechanism = "heavy-hitters"\n'
    return parse_survey(f"{head}epsilon = 2\nhash_seed = {hash_seed}\n{keys}")["word"]


def search(asked: Question, english: dict[str, float], generator: Generator) -> Outcome:
    """One survey."""
    randomizer = asked.randomizer
    assert isinstance(randomizer, HeavyHitters)
    holders = Holders(
        tuple(english), generator.multinomial(RESPONDENTS, list(english.values()))
    )
    truth = dict(
        zip(holders.values, (holders.counts / RESPONDENTS).tolist(), strict=True)
    )
    reach = expected_reach(randomizer, RESPONDENTS)
    admitted = set(randomizer.alphabet) or set("".join(english))
    promised = {
        word
        for word, share in truth.items()
        if set(word) <= admitted and share >= _needed(len(word.encode()), reach)
    }
    estimates = estimate_question(
        asked, sample_counts(asked, holders, generator), Options()
    )
    return Outcome(
        promised=len(promised),
        kept=len(promised & set(estimates.values)),
        found=len(estimates),
        covered=sum(
            one.low <= truth.get(one.value, 0.0) <= one.high for one in estimates
        ),
        wrong=sum(not truth.get(one.value) for one in estimates),
    )


def _needed(length: int, reach: list[SearchReach]) -> float:
    """The frequency from which on a word of this length is promised to be found."""
    needed = next((stage.frequency for stage in reach if length <= stage.longest), None)
    return 1.0 if needed is None else needed


def main() -> None:
    """All surveys, one line each."""
    english = words()
    for name, keys in SURVEYS.items():
        generator = np.random.default_rng(1)
        total = Outcome(
            *np.sum(
                [
                    search(question(keys, seed), english, generator)
                    for seed in range(SEARCHES)
                ],
                axis=0,
            )
        )
        print(
            f"{name}: {total.kept} of {total.promised} words above what was announced "
            f"found, {total.found / SEARCHES:.1f} texts a search, {total.wrong} in all "
            f"held by no one; {total.covered / total.found:.1%} of their intervals "
            "hold the truth"
        )


if __name__ == "__main__":
    main()
