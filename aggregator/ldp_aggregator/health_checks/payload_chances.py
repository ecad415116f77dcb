"""How likely any one symbol is to be sent: at least, and at most, whatever respondents hold.

    supports   p / k at most and (1 - p) / (v - k) at least, where k of v symbols support each value
    matrix     the largest and the least entry of the symbol's column
    noise      a^z (1-a) / (1+a), at an end a^z / (1+a), z the distance of the nearest value, or of
               the farthest
    sum        the probability of the level for a value that is held, or that is not

A mean over respondents lies between the two, and a sum of independent trials of unequal chances is
no more spread than one of equal ones, so that binomial tails at the ends bound every honest
tally's.
"""

from __future__ import annotations

import numpy as np

from ldp.mechanisms.additive import AdditiveNoise
from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.hadamard import HadamardResponse
from ldp.mechanisms.heavy_hitters import HeavyHitters
from ldp.mechanisms.histogram import NoisyHistogram
from ldp.mechanisms.matrix import StochasticMatrix
from ldp.mechanisms.pad_and_sample import PadAndSample
from ldp.mechanisms.projective import ProjectiveResponse, geometry
from ldp.mechanisms.sketches import HadamardCountMean
from ldp_aggregator.arrays import Floats
from ldp_aggregator.moments.moments import channel_array


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats] | None:
    """(least, largest) probability: of each symbol, or a single number where all are alike, in any
    cohort or place.

    None where a tally does not count symbols, or its rates are those of symbols.
    """
    match randomizer:
        case PadAndSample() | HeavyHitters():
            return payload_chances(randomizer.oracle)
        case StochasticMatrix():
            channel = channel_array(randomizer)
            return channel.min(axis=0), channel.max(axis=0)
        case NoisyHistogram():
            laws = np.array(
                [
                    [float(mass) for mass in randomizer.level_law(holds=holds)]
                    for holds in (False, True)
                ]
            )
            return laws.min(axis=0), laws.max(axis=0)
        case AdditiveNoise():
            return _of_noise(randomizer)
        case HadamardCountMean():
            p, supporters = randomizer.within[0], randomizer.buckets
        case HadamardResponse():
            p, supporters = randomizer.halves[0], randomizer.rows // 2
        case ProjectiveResponse(folded=False):
            p, supporters = (
                randomizer.support[0],
                geometry(randomizer.order, randomizer.dimension).block,
            )
        case _:
            return None
    others = randomizer.layout.symbols - supporters
    return np.array(float((1 - p) / others)), np.array(float(p / supporters))


def _of_noise(randomizer: AdditiveNoise) -> tuple[Floats, Floats]:
    step, last = float(randomizer.step), randomizer.size - 1
    outputs = np.arange(randomizer.layout.symbols) - randomizer.margin
    scale = np.full(len(outputs), (1 - step) / (1 + step))
    scale[[0, -1]] = 1 / (1 + step)
    farthest = np.maximum(np.abs(outputs), np.abs(outputs - last))
    nearest = np.abs(outputs - np.clip(outputs, 0, last))
    return scale * step**farthest, scale * step**nearest
