"""Heavy hitters broken on purpose; functions replace `randomize`."""

from __future__ import annotations

from lawbook import privacy, same_bytes, sampler
from mutants import GENUINE, altered, designed_as

from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp.numbers.randomness import randbelow


def stage_from_the_length(self, value, random):
    """The cohort is that of the stage in which the text ends, so that it tells its
    length.
    """
    return (
        HeavyHitters(*self).randomize(value, random) >> 16 << 16
        | len(value) % self.cohorts
    )


def whole_text_in_every_stage(self, value, random):
    """No stage hears of prefixes."""
    cohort = randbelow(self.cohorts, random)
    cell = self.cell(value, self.cohorts - 1)
    return self.layout.report(self.oracle.randomize(cell, random), cohort)


def one_hash_function_for_all(self, text, cohort):
    """For `cell`: texts that meet in one cohort meet in all."""
    return HeavyHitters.cell(
        self._replace(hash_seed=0),
        text[: self.lengths[min(cohort, self.stages - 1)]],
        self.stages,
    )


def no_report_from_long_texts(self, value, random):
    """A text that is too long for a stage draws nothing but its cohort."""
    cohort = randbelow(self.cohorts, random)
    if len(value) > self.lengths[min(cohort, self.stages - 1)]:
        return self.layout.report(0, cohort)
    return self.layout.report(
        self.oracle.randomize(self.cell(value, cohort), random), cohort
    )


def ratio_split_over_stages(self):
    """For `ratio`: as if each respondent answered in every stage, with a share of
    epsilon each.
    """
    return self.oracle.ratio**self.cohorts


_GENUINE = GENUINE["heavy-hitters-1"].randomizer
_TWICE = ProjectiveResponse(*_GENUINE.oracle)._replace(truth=_GENUINE.oracle.truth**2)

MUTANTS = (
    altered(
        "stage from the text's length",
        sampler,
        "prefixes-in-a-plane",
        randomize=stage_from_the_length,
    ),
    altered(
        "the whole text in every stage",
        sampler,
        "prefixes-in-a-plane",
        randomize=whole_text_in_every_stage,
    ),
    altered(
        "one hash function for all cohorts",
        sampler,
        "prefixes-in-a-plane",
        cell=one_hash_function_for_all,
    ),
    altered(
        "no report of a long text",
        same_bytes,
        "prefixes-in-a-plane",
        randomize=no_report_from_long_texts,
    ),
    altered(
        "epsilon once for each stage",
        privacy,
        "prefixes-in-a-plane",
        ratio=property(ratio_split_over_stages),
    ),
    designed_as(
        "the square of the odds for cells",
        "heavy-hitters-1",
        _GENUINE._replace(oracle=_TWICE),
    ),
)
