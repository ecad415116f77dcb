"""Surveys: what is asked, of what, through which mechanism; and their canonical
fingerprints.

The fingerprint of a question is the first 16 bytes of the SHA-256 of netstrings
(`<length>:<bytes>,`): a format tag, the survey's name, the question's name, its type,
the number of its values and the values (or `open`), the mechanism, every integer of its
randomizer as `name=number`, if the survey has epochs, their seconds as `epoch=number`,
if a device draws one of several questions, their names and weights as
`draw=name:weight,...`, and of each public attribute that its reports carry
`attribute=name`, the number of its values, and these. It covers what changes the
meaning of a report, or of the id that it travels under, and whose it is, so that two
surveys never share a tally; and nothing else: neither the text that people read, nor
candidates, nor the way an epsilon was written. Versions of a survey share its name, and
the fingerprints of those questions that did not change. The fingerprint of a group of
questions that are answered together is made in the same way, of a format tag and the
fingerprints of its questions in order.

What a device may spend over its lifetime does not change the meaning of a report, so no
fingerprint covers it. It is part of the terms that a respondent agrees to, and an app
may pin: `terms` is the digest of everything that costs; where reports carry attributes,
the size below which groups are not shown included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

from ldp.answers.domain import Domain, Placed, Value
from ldp.errors import AnswerError
from ldp.mechanisms.auto import Considered
from ldp.mechanisms.contract import Declared, Randomizer, integers, lifetime_ratio
from ldp.numbers.epochs import length_text
from ldp.numbers.exact import decimal_text
from ldp.numbers.randomness import Random, system
from ldp.survey.attributes import LEAST_GROUP, Attribute, Attributes, parts_of
from ldp.survey.draws import Draw

if TYPE_CHECKING:
    from ldp.answers.scales import Scale

FINGERPRINT_SIZE = 16
ROUNDING_BYTES = 8
"""What is drawn to round a number to a point of its scale."""
_MOST_SHOWN = 20
"""Questions that the `repr` of a survey shows."""


class Question:
    """One question of a survey.

    `mechanism` is the resolved one; `candidates` names a file that only an aggregator
    reads.

    A device charges `price` for a report, or for each value whose permanent response it
    keeps; at most `charges` times. `choice` is what there was to choose from, where the
    survey left the mechanism to us; `profile` names what gave the parameters, if that
    was one of `survey.profiles`. `survey` is the name of its survey, and `epoch` the
    length of that one's epochs in seconds. `keys` are those of the survey file that
    nothing else here tells, as they stood there. `draw` is the group of which a device
    answers one question; None where it answers this one. `attributes` are the public
    ones that its reports carry.

    >>> import ldp
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> survey["mode"].mechanism, survey["mode"].width
    ('grr', 1)
    """

    def __init__(
        self,
        name: str,
        domain: Domain,
        mechanism: str,
        randomizer: Randomizer,
        declared: Declared,
        text: str = "",
        candidates: str | None = None,
        charges: int = 1,
        choice: tuple[Considered, ...] = (),
        profile: str = "",
        epoch: int | None = None,
        survey: str = "",
        keys: Mapping[str, object] | None = None,
        draw: Draw | None = None,
        attributes: Attributes = (),
    ) -> None:
        self.name = name
        self.draw = draw
        self.attributes = attributes
        self.domain = domain
        self.mechanism = mechanism
        self.randomizer = randomizer
        self.declared = declared
        self.text = text
        self.candidates = candidates
        self.charges = charges
        self.choice = choice
        self.profile = profile
        self.epoch = epoch
        self.survey = survey
        self.keys = keys
        self.layout = randomizer.layout
        self.width = self.layout.width
        self.fingerprint = _fingerprint(self)
        self.memoizes = bool(getattr(randomizer, "memoizes", False))
        # A permanent response is kept for a value: the same answer must have the same
        # one.
        self.rounds = domain.has_between and not self.memoizes
        self.chooses = (
            self.rounds or domain.key_scale is not None or domain.per_device == "one"
        )
        """Whether something is drawn to tell which value an answer is."""
        self._texts = domain.values if randomizer.kind == "bloom" else None

    def __repr__(self) -> str:
        return (
            f"<Question {self.name!r}: {self.domain.summary}; {self.mechanism}, "
            f"epsilon {self.declared.text}>"
        )

    @cached_property
    def price(self) -> Fraction:
        """The ratio of one charge: that of all ever sent about a value, or of one
        report.
        """
        return lifetime_ratio(self.randomizer) or self.randomizer.ratio

    @cached_property
    def price_text(self) -> str:
        """Price, as it is written down."""
        return str(self.price)

    @property
    def share(self) -> Fraction:
        """The share of the devices that answer it: all, unless they draw one of
        several.
        """
        if self.draw is None:
            return Fraction(1)
        return self.draw.share(self.name)

    @property
    def estimand(self) -> str:
        """Population of the estimates, where devices draw one of several questions."""
        if self.draw is None:
            return ""
        return (
            "the respondents are those who drew this question, a share of "
            f"{self.share} of all: for all people take the interval for a population"
        )

    @property
    def members(self) -> tuple[Question, ...]:
        """A question that is answered by itself travels alone."""
        return (self,)

    def value(self, answer: object, random: Random = system) -> Value:
        """Return the input of the randomizer for an answer.

        A number between two points of its scale is rounded to one of them, at random.
        Eight bytes are drawn for that whatever the answer is, where a scale has points;
        and sixteen before, if one of a device's records is taken. The same eight round
        the numbers that come with keys, of which one is reported at most.

        Raises `AnswerError`; it names the question, not the answer.
        """
        places = self.places(answer)
        if self.domain.key_scale is not None:
            from ldp.answers.key_values import round_items

            return round_items(places, random)
        value, rest = places[0]
        if self.domain.per_device == "one":
            from ldp.answers.contributions import choose

            value, rest = choose(places, random)
        if not self.rounds:
            return value
        drawn = int.from_bytes(random(ROUNDING_BYTES), "little")
        return int(value) + (drawn < rest)

    def place(self, answer: object) -> Placed:
        """Return a value, and 2^64 times the chance of the next one, before anything is
        drawn.

        Of several records of which one is drawn, that of the first. Raises
        `AnswerError` as `value` does.
        """
        return self.places(answer)[0]

    def places(self, answer: object) -> tuple[Placed, ...]:
        """Return the place of each record, where one of several is drawn, or of each
        key held.
        """
        try:
            places = self.domain.places(answer)
        except AnswerError as error:
            raise AnswerError(f"question {self.name!r}: {error}") from None
        if not self.rounds:
            for _, rest in places:
                if rest:
                    raise AnswerError(
                        f"question {self.name!r}: expected a number on the scale, got "
                        "one between two points"
                    )
        if self._texts is None:
            return places
        return tuple((self._texts[int(value)].encode(), rest) for value, rest in places)


class Group:
    """Questions that are answered together, whose reports travel end to end, as one
    row.
    """

    def __init__(self, members: tuple[Question, ...]) -> None:
        self.members = members
        self.name = "+".join(question.name for question in members)
        self.width = sum(question.width for question in members)
        self.epoch = members[0].epoch
        self.attributes = members[0].attributes
        fingerprints = (question.fingerprint for question in members)
        self.fingerprint = _digest([b"ldp-joint-1", *fingerprints])
        self.memoizes = all(question.memoizes for question in members)
        """Whether there is a report whenever it is answered."""

    def __repr__(self) -> str:
        return f"<Group {self.name}: answered together>"


Envelope = Question | Group
"""What one report answers, and what its fingerprint stands for."""


class Survey:
    """A named set of questions, some of them in groups. `survey[name]` is a question.

    `lifetime` is what a device may spend on it, ever; None if only the questions set
    limits. `epoch` is the length of its epochs in seconds, None without; `grace` how
    many seconds after an epoch's end its batches are still taken (if not said, as many
    as it has itself).

    `attributes` are what reports say openly of a device, if anything; groups by them
    are shown if they have at least `least_group` reports.

    Two surveys are equal if a device is asked for the same on the same terms: their
    `terms`, which include the fingerprint, are equal. What people read makes no
    difference to it.

    >>> import ldp
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> ldp.parse_survey(survey.to_toml()) == survey
    True
    """

    def __init__(
        self,
        name: str,
        questions: tuple[Question, ...],
        groups: tuple[Group, ...] = (),
        lifetime: Declared | None = None,
        grace: int | None = None,
        attributes: tuple[Attribute, ...] = (),
        least_group: int = LEAST_GROUP,
    ) -> None:
        self.name = name
        self.attributes = attributes
        self.least_group = least_group
        self.questions = questions
        self.groups = groups
        self.lifetime = lifetime
        self.epoch = questions[0].epoch
        self.grace = grace or self.epoch or 0
        self._by_name = {question.name: question for question in questions}
        self.group_of = {
            question.name: group for group in groups for question in group.members
        }
        self.alone = {
            question.name: question
            for question in questions
            if question.name not in self.group_of
        }
        """The questions that are answered by themselves."""
        parts = (
            sorted(question.fingerprint for question in questions),
            sorted(group.fingerprint for group in groups),
        )
        self.fingerprint = _digest(
            [b"ldp-survey-1", name.encode(), *parts[0], *parts[1]]
        )

    @cached_property
    def terms(self) -> bytes:
        """The digest of all that a respondent agrees to spend.

        It is as exact as the fingerprint that it includes.
        """
        stop = ""
        if self.lifetime is not None:
            stop = self.lifetime.text
        ordered = sorted(self, key=lambda question: question.name)
        charges = (
            f"{question.name}={question.charges}".encode() for question in ordered
        )
        crowd = []
        if self.attributes:
            crowd = [b"least_group=%d" % self.least_group]
        return _digest(
            [b"ldp-terms-1", self.fingerprint, stop.encode(), *charges, *crowd]
        )

    @cached_property
    def draws(self) -> tuple[Draw, ...]:
        """The groups of questions of which a device answers one."""
        draws = (question.draw for question in self if question.draw is not None)
        return tuple(dict.fromkeys(draws))

    @cached_property
    def drawn_names(self) -> frozenset[str]:
        """The names of the questions of which a device answers one of a group."""
        return frozenset(name for draw in self.draws for name in draw.names)

    @property
    def tally_parts(self) -> tuple[Envelope, ...]:
        """Parts with a tally of their own: every question, and every group besides."""
        return (*self.questions, *self.groups)

    @property
    def envelopes(self) -> tuple[Envelope, ...]:
        """Messages that are sent: questions that are answered by themselves, and
        groups.
        """
        return (*self.alone.values(), *self.groups)

    def __getitem__(self, name: str) -> Question:
        question = self._by_name.get(name)
        if question is None:
            raise AnswerError(
                f"expected one of the survey's questions ({', '.join(self._by_name)}), "
                f"got {name!r}"
            )
        return question

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    def __len__(self) -> int:
        return len(self.questions)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Survey):
            return self.terms == other.terms
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.terms)

    def __repr__(self) -> str:
        lines = [f"<Survey {self.name!r}, fingerprint {self.fingerprint.hex()}:"]
        lines += [
            f"  {envelope!r}"
            for envelope in (*self.questions[:_MOST_SHOWN], *self.groups)
        ]
        hidden = len(self.questions) - _MOST_SHOWN
        return (
            "\n".join(
                [*lines, *([f"  and {hidden:,} more questions"] if hidden > 0 else [])]
            )
            + ">"
        )

    def to_toml(self) -> str:
        """The text of a survey file that parses to an equal survey, its texts included.

        Raises `ValueError` if a question was not read from such a file, nor made by
        `ldp.question`.
        """
        # Imported here, because no device writes surveys.
        from ldp.survey.survey_toml import toml_text

        return toml_text(survey_table(self))


NONE_TAKEN: Mapping[Draw, int] = {}


def chargeable(
    questions: Iterable[Question], taken: Mapping[Draw, int] = NONE_TAKEN
) -> list[Question]:
    """Return the questions that one device may be charged for: of each draw the dearest
    alone.

    They are as many as it answers of a draw, less those of it that are `taken` already.
    """
    charged = []
    members: dict[Draw, list[Question]] = {}
    for question in questions:
        if question.draw is None:
            charged.append(question)
        else:
            members.setdefault(question.draw, []).append(question)
    for draw, drawable in members.items():
        drawable.sort(key=attrgetter("price"), reverse=True)
        charged += drawable[: max(draw.answers - taken.get(draw, 0), 0)]
    return charged


def survey_table(survey: Survey) -> dict[str, object]:
    """Return the table that a survey file holds, ready to be read.

    Raises `ValueError` for a question that was made without its keys.
    """
    head: dict[str, object] = {"name": survey.name}
    if survey.groups:
        head["joint"] = [
            [question.name for question in group.members] for group in survey.groups
        ]
    if survey.lifetime is not None:
        head["lifetime_epsilon"] = survey.lifetime.text
    if survey.epoch is not None:
        head["epoch"] = length_text(survey.epoch)
        head["grace"] = length_text(survey.grace)
    draws = []
    for draw in survey.draws:
        how: dict[str, object] = {"weights": list(draw.weights)}
        if draw.answers > 1:
            how = {"answers": draw.answers}
        draws.append({"questions": list(draw.names), **how})
    between: dict[str, object] = {"draw": draws} if draws else {}
    if survey.attributes:
        head["least_group"] = survey.least_group
        between["attribute"] = list(map(_attribute_table, survey.attributes))
    return {
        "survey": head,
        **between,
        "question": [question_table(question) for question in survey],
    }


def _attribute_table(attribute: Attribute) -> dict[str, object]:
    table: dict[str, object] = {
        "name": attribute.name,
        "values": list(attribute.values),
    }
    if attribute.questions:
        table["questions"] = list(attribute.questions)
    return table


def question_table(question: Question) -> dict[str, object]:
    """Return the table of a question in the file of its survey. Raises `ValueError` as
    above.
    """
    if question.keys is None:
        raise ValueError(
            f"question {question.name!r}: expected one that was read from a survey "
            "file, or made by ldp.question, got one without the keys of its mechanism"
        )
    domain = question.domain
    table: dict[str, object] = {"name": question.name}
    if question.text:
        table["text"] = question.text
    table["type"] = domain.type
    if domain.numbers is not None:
        table |= {"low": domain.numbers[0], "high": domain.numbers[-1]}
    elif domain.scale is not None and "edges" not in question.keys:
        table |= _ends(domain.scale)
    elif domain.key_scale is not None:
        table |= {"keys": list(domain.values or ()), **_ends(domain.key_scale)}
    elif domain.ball is not None:
        table |= {
            "dimensions": domain.ball.dimensions,
            "radius": decimal_text(domain.ball.radius),
        }
    elif domain.type in ("category", "multi"):
        table["values"] = list(domain.values or ())
    if domain.most is not None:
        table["most"] = domain.most
    if question.candidates is not None:
        table["candidates"] = question.candidates
    return {**table, **question.keys}


def _ends(scale: Scale) -> dict[str, object]:
    return {"low": decimal_text(scale.low), "high": decimal_text(scale.high)}


def _fingerprint(question: Question) -> bytes:
    numbers = [
        f"{name}={_number_text(number)}"
        for name, number in sorted(integers(question.randomizer).items())
    ]
    epoch = []
    if question.epoch is not None:
        epoch = [f"epoch={question.epoch}"]
    names = [question.survey, question.name]
    draw = []
    if question.draw is not None:
        draw = [f"draw={question.draw.text}"]
    parts = chain(
        ["ldp-question-2", *names, question.domain.type],
        question.domain.parts(),
        [question.mechanism, *numbers, *epoch, *draw],
        parts_of(question.attributes),
    )
    return _digest(part.encode() for part in parts)


def _digest(parts: Iterable[bytes]) -> bytes:
    # Imported here, as it takes longer to load than the rest of the core, and importing
    # a client needs no fingerprint.
    import hashlib

    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"%d:%b," % (len(part), part))
    return digest.digest()[:FINGERPRINT_SIZE]


def _number_text(number: int | tuple[tuple[int, ...], ...]) -> str:
    if isinstance(number, int):
        return str(number)
    return ";".join(",".join(map(str, row)) for row in number)


def check_survey(value: object, call: str) -> None:
    """Raise `TypeError` for what is no survey, where `call` expects one in the first
    place.
    """
    if isinstance(value, Survey):
        return
    if isinstance(value, str):
        hint = "read_survey(path) reads its file, parse_survey(text) its text"
    else:
        hint = "the survey comes first"
    raise TypeError(f"{call}: expected a survey, got {type(value).__name__}; {hint}")
