"""The texts of a page in one language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class TranslatedQuestion(NamedTuple):
    """A question in one language."""

    text: str = ""
    help: str = ""
    labels: Mapping[str, str] = {}

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return self._asdict()


class LocalizedTexts(NamedTuple):
    """The texts of a page in one language."""

    texts: Mapping[str, str]
    questions: Mapping[str, TranslatedQuestion]

    def over(self, other: LocalizedTexts) -> LocalizedTexts:
        """Return the words, with those of another language where there are none."""
        questions = dict(other.questions)
        for name, asked in self.questions.items():
            base = questions.get(name, TranslatedQuestion())
            labels = {**base.labels, **asked.labels}
            questions[name] = TranslatedQuestion(
                asked.text or base.text, asked.help or base.help, labels
            )
        return LocalizedTexts({**other.texts, **self.texts}, questions)
