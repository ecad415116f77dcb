"""How mechanisms are broken on purpose: attributes, a design or a decoder replaced."""

from __future__ import annotations

from typing import Any, NamedTuple

from lawbook import declared
from specimens import DESIGNED, SMALL

GENUINE = {specimen.name: specimen for specimen in (*DESIGNED, *SMALL)}


class Mutant(NamedTuple):
    """A broken subject, the genuine one it was made from, and the law that tells them
    apart.
    """

    name: str
    law: Any
    genuine: Any
    broken: Any


def altered(name, law, genuine, tape=None, **replaced):
    """The mutant whose randomizer has other attributes; `tape` if it draws in other
    portions.
    """
    specimen = GENUINE[genuine]
    kind = type(specimen.randomizer)
    randomizer = type(kind.__name__, (kind,), replaced)(*specimen.randomizer)
    return Mutant(
        name,
        law,
        specimen,
        broken=specimen._replace(randomizer=randomizer, tape=tape or specimen.tape),
    )


def designed_as(name, genuine, randomizer):
    """The mutant whose design gives other integers."""
    return Mutant(
        name,
        declared,
        GENUINE[genuine],
        broken=GENUINE[genuine]._replace(randomizer=randomizer),
    )


def declared_as(name, genuine, declaration):
    """The mutant whose survey declares something else."""
    return Mutant(
        name,
        declared,
        GENUINE[genuine],
        broken=GENUINE[genuine]._replace(declared=declaration),
    )


def decoded_by(name, law, genuine, change):
    """The mutant whose decoder gives `change(the genuine moments, randomizer,
    counts)`.
    """
    specimen = GENUINE[genuine]

    def decode(randomizer, counts):
        return change(specimen.decode(randomizer, counts), randomizer, counts)

    return Mutant(name, law, specimen, broken=specimen._replace(decode=decode))
