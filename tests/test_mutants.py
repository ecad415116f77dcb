"""The laws can fail: what was broken on purpose is caught by the law it names, and the genuine one is not."""

import bit_mutants
import design_mutants
import device_mutants
import hash_mutants
import point_mutants
import pytest
import rappor_mutants
import symbol_mutants
from device_laws import CLIENT_LAWS, DRAW_LAWS, SOURCE_LAWS, least_error
from lawbook import CHANNEL_LAWS, SAMPLER_LAWS, declared

FAMILIES = (bit_mutants, symbol_mutants, hash_mutants, point_mutants, rappor_mutants, design_mutants, device_mutants)
MUTANTS = [mutant for family in FAMILIES for mutant in family.MUTANTS]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.law.__name__}: {mutant.name}")
def test_mutant(mutant):
    """The law passes the genuine subject and catches the broken one."""
    assert mutant.law(mutant.genuine) == []
    assert mutant.law(mutant.broken)


def test_enough_mutants():
    """There are at least forty ways to be wrong, and every law catches some of them."""
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 40
    laws = {*CHANNEL_LAWS, *SAMPLER_LAWS, declared, *DRAW_LAWS, *SOURCE_LAWS, *CLIENT_LAWS, least_error}
    assert {mutant.law for mutant in MUTANTS} == laws
