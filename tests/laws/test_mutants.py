"""The laws can fail: what was broken on purpose is caught by the law it names."""

import bit_mutants
import chain_mutants
import design_mutants
import device_mutants
import embedded_mutants
import hadamard_mutants
import hash_mutants
import histogram_mutants
import noise_mutants
import point_mutants
import prefix_mutants
import pytest
import rappor_mutants
import set_mutants
import symbol_mutants
from device_laws import CLIENT_LAWS, DRAW_LAWS, SOURCE_LAWS, least_error
from embedded_laws import EMBEDDED_LAWS
from lawbook import CHANNEL_LAWS, SAMPLER_LAWS, declared

FAMILIES = (
    bit_mutants,
    chain_mutants,
    symbol_mutants,
    hash_mutants,
    hadamard_mutants,
    histogram_mutants,
    noise_mutants,
    point_mutants,
    prefix_mutants,
    rappor_mutants,
    set_mutants,
    design_mutants,
    device_mutants,
    embedded_mutants,
)
MUTANTS = [mutant for family in FAMILIES for mutant in family.MUTANTS]


@pytest.mark.parametrize(
    "mutant", MUTANTS, ids=lambda mutant: f"{mutant.law.__name__}: {mutant.name}"
)
def test_mutant(mutant):
    """The law passes the genuine subject and catches the broken one."""
    assert mutant.law(mutant.genuine) == []
    assert mutant.law(mutant.broken)


def test_enough_mutants():
    """There are at least forty ways to be wrong, and every law catches some of them."""
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
    laws = {
        *CHANNEL_LAWS,
        *SAMPLER_LAWS,
        declared,
        *DRAW_LAWS,
        *SOURCE_LAWS,
        *CLIENT_LAWS,
        *EMBEDDED_LAWS,
        least_error,
    }
    assert {mutant.law for mutant in MUTANTS} == laws
