"""The confirmation of an act that cannot be undone.

A ``Confirmation`` lists facts: what is still open, what is done, what the act changes. Every open
matter has a code; the person who acts names the codes that they override and the consents that they
give. The same object serves the page, the API, the commands and the log.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class ConfirmationChoice:
    """A check box: ``code`` is its name in forms, in the API and in the log. One that is ``typed``
    is an input in which the code itself is written.
    """

    code: str
    label: str
    detail: str = ""
    typed: bool = False


@dataclass(frozen=True)
class OpenMatter:
    """Something unfinished. The act needs the ``override``, or the ``remedy`` that ends it at
    the same time. ``detail`` may change at any moment and is not in the digest. ``url`` and
    ``link``: where to finish it before.
    """

    text: str
    override: ConfirmationChoice
    detail: str = ""
    remedy: ConfirmationChoice | None = None
    url: str = ""
    link: str = ""


@dataclass(frozen=True)
class Consequence:
    """What the act means for ``who``: persons, or a thing that changes or stays."""

    who: str
    text: str
    url: str = ""
    link: str = ""


@dataclass(frozen=True)
class Decision:
    """The codes of the check boxes that were ticked. ``digest`` is that of the facts that
    the person has read; empty if the codes alone are the answer.
    """

    codes: frozenset[str] = frozenset()
    digest: str = ""


@dataclass(frozen=True)
class Confirmation:
    """The question before one act, with all facts that speak for or against it."""

    question: str
    before: str
    button: str
    back: str
    summary: str = ""
    open: tuple[OpenMatter, ...] = ()
    done: tuple[str, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    consents: tuple[ConfirmationChoice, ...] = ()
    note: str = ""

    def list_missing(self, decision: Decision) -> list[ConfirmationChoice]:
        """The check boxes that are needed and not ticked."""
        missing = [
            matter.override
            for matter in self.open
            if matter.override.code not in decision.codes
            and (matter.remedy is None or matter.remedy.code not in decision.codes)
        ]
        return missing + [each for each in self.consents if each.code not in decision.codes]

    def iter_fields(self) -> Iterator[tuple[str, ConfirmationChoice]]:
        """Every choice in the order of the page; of those with the same name only one can be made,
        and those without one are check boxes.
        """
        for matter in self.open:
            name = matter.override.code if matter.remedy is not None else ""
            if matter.remedy is not None:
                yield name, matter.remedy
            yield name, matter.override
        yield from (("", consent) for consent in self.consents)

    def iter_choices(self) -> Iterator[ConfirmationChoice]:
        """The choices of ``iter_fields``."""
        return (choice for _name, choice in self.iter_fields())

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Everything that the page says, as plain values for the log."""
        return {
            "question": self.question,
            "summary": self.summary,
            "open": [
                {"code": each.override.code, "text": each.text, "detail": each.detail}
                for each in self.open
            ],
            "done": list(self.done),
            "consequences": [[each.who, each.text] for each in self.consequences],
            "choices": [[each.code, each.label, each.detail] for each in self.iter_choices()],
            "button": self.button,
        }

    @cached_property
    def digest(self) -> str:
        """sha256 of the facts as canonical JSON, without the details of open matters: counts that
        change while people work do not outdate what was read.
        """
        matters = [[each["code"], each["text"]] for each in self.facts["open"]]
        text = json.dumps(
            self.facts | {"open": matters},
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
        )
        return hashlib.sha256(text.encode()).hexdigest()

    def record(self, decision: Decision) -> dict[str, Any]:
        """What the log keeps: the facts as shown, and which choices were made."""
        ticked = [each.code for each in self.iter_choices() if each.code in decision.codes]
        settled = {m.remedy.code for m in self.open if m.remedy} & set(ticked)
        overridden = [
            each.override.code
            for each in self.open
            if each.remedy is None or each.remedy.code not in settled
        ]
        consents = [each.code for each in self.consents]
        return {"overridden": overridden, "consents": consents, "ticked": ticked, **self.facts}
