"""What a service has to hold, in plain dictionaries: no store, no numpy, no bytes of
reports.
"""

from collections import Counter, defaultdict
from typing import NamedTuple

DAY, AHEAD, LOOKS, SLACK = 86_400, 3600, 60, 600


class Sent(NamedTuple):
    """A batch: its question, the epoch and number of its id, and its devices'
    symbols.
    """

    question: str
    epoch: int
    number: int
    symbols: tuple


class Oracle:
    """Knows, of questions by name, how long their epochs are and how many symbols they
    have.
    """

    def __init__(self, lengths, sizes):
        self.lengths, self.sizes = lengths, sizes
        self.received, self.outcomes = 0, Counter()
        self.counts = defaultdict(Counter)  # of symbols, by question and epoch
        self.ids, self.closed, self.seen = set(), {}, {}
        self.confirmed = False
        self.kept, self.aside = set(), set()
        self.looked = float("-inf")

    def take(self, batches, served, keeps, now):
        """What becomes of batches that arrive together."""
        self.received += len(batches)
        for sent in batches:
            self.outcomes[self._outcome(sent, served, keeps, now=now)] += 1

    def _outcome(self, sent, served, keeps, now):
        if isinstance(sent, str):
            return sent  # nothing that can be counted, and the reason why
        if sent.question not in served:
            known = any(
                (day, *record[1:3]) == (now // DAY, *sent[1:3])
                for day, record in self.aside
            )
            self.aside |= set() if known else {(now // DAY, sent)}
            return "duplicate" if known else "quarantined"
        if max(sent.symbols) >= self.sizes[sent.question]:
            return "symbol-range"
        length = self.lengths[sent.question]
        if length and sent.epoch <= self.closed.get(length, -1):
            furthest = max(self.closed[length], self.seen.get(length, -1))
            return "early" if furthest > now // length else "late"
        if length and sent.epoch > (now + AHEAD) // length:
            return "early"
        epoch = (length, sent.epoch) if length else None
        if (epoch, sent.epoch, sent.number) in self.ids:
            return "duplicate"
        self.ids.add((epoch, sent.epoch, sent.number))
        self.counts[sent.question, epoch].update(sent.symbols)
        self.kept |= {(now // DAY, sent)} if keeps else set()
        return "accepted"

    def look(self, served, keeps, graces, now):
        """What time does, and questions that are known at last; at most once a
        minute.
        """
        if 0 <= now - self.looked < LOOKS:
            return
        self.looked = now
        jumped = not self.confirmed and any(
            self._has_jumped(length, now) for length in graces
        )
        self.confirmed = False
        old = set()
        if not jumped:
            for length, grace in graces.items():
                self.closed[length] = max(
                    (now - grace) // length - 1, self.closed.get(length, -1)
                )
                self.seen[length] = now // length
            self.kept = {
                (day, sent) for day, sent in self.kept if day >= now // DAY - keeps
            }
            old = {(day, sent) for day, sent in self.aside if day < now // DAY - 30}
        known = {
            (day, sent) for day, sent in self.aside - old if sent.question in served
        }
        self.aside -= old | known
        self.outcomes.update(
            {"quarantined": -len(old | known), "fingerprint": len(old)}
        )
        for _, sent in known:
            self.outcomes[self._outcome(sent, served, keeps, now=now)] += 1

    def can_confirm(self, now):
        """Whether no epoch is closed that has not begun."""
        return all(
            last <= (now + SLACK) // length for length, last in self.closed.items()
        )

    def _has_jumped(self, length, now):
        """Whether the clock went by more than an epoch, or back, since it was last
        looked at.
        """
        seen = self.seen.get(length)
        if seen is None:
            last = self.closed.get(length, -1)
            of_ids = [
                at[1] for at, *_ in self.ids if at and at[0] == length and at[1] > last
            ]
            if not of_ids:
                return False
            seen = min(max(of_ids), now // length)
        return not (
            (now - SLACK) // length <= seen + 1 and (now + SLACK) // length >= seen
        )
