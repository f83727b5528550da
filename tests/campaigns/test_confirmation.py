"""The facts before an act: what is missing, what outdates them, what the log keeps."""

from __future__ import annotations

from dataclasses import replace

from campaigns.confirmation import (
    Confirmation,
    ConfirmationChoice,
    Consequence,
    Decision,
    OpenMatter,
)

CLOSE = ConfirmationChoice("close", "Close now")
OPEN = OpenMatter(
    "Open until Friday.", ConfirmationChoice("open", "Although open"), "2 waiting", remedy=CLOSE
)
LATE = OpenMatter("3 open.", ConfirmationChoice("late", "Although 3 are open"))
ASKED = Confirmation(
    question="Release?",
    before="Before you release",
    button="Release to 3 teams",
    back="/",
    open=(OPEN, LATE),
    done=("All runs are in.",),
    consequences=(Consequence("3 teams", "see their scores."),),
    consents=(ConfirmationChoice("seen", "3 teams see it"),),
)


def missing(*codes: str) -> list[str]:
    return [choice.code for choice in ASKED.list_missing(Decision(frozenset(codes)))]


def test_every_open_matter_and_every_consent_is_needed():
    assert missing() == ["open", "late", "seen"]
    assert missing("open", "late", "seen") == []
    assert missing("late", "unknown") == ["open", "seen"]


def test_a_remedy_stands_for_the_override():
    assert missing("close", "late", "seen") == []


def test_the_digest_covers_what_was_read_but_not_running_counts():
    counted = replace(ASKED, open=(replace(OPEN, detail="1 waiting"), LATE))
    assert counted.digest == ASKED.digest
    others = (
        replace(ASKED, open=(OPEN,)),
        replace(ASKED, open=(OPEN, replace(LATE, text="4 open."))),
        replace(ASKED, consequences=(Consequence("4 teams", "see their scores."),)),
        replace(ASKED, done=()),
        replace(ASKED, consents=()),
    )
    assert len({ASKED.digest, *(other.digest for other in others)}) == 6


def test_the_log_keeps_the_facts_and_the_choices():
    kept = ASKED.record(Decision(frozenset({"close", "late", "seen", "unknown"})))
    assert kept["overridden"] == ["late"]
    assert kept["consents"] == ["seen"]
    assert kept["ticked"] == ["close", "late", "seen"]
    assert kept["open"][0] == {
        "code": "open", "text": "Open until Friday.", "detail": "2 waiting",
    }  # fmt: skip
    assert kept["consequences"] == [["3 teams", "see their scores."]]
    both = ASKED.record(Decision(frozenset({"open", "late", "seen"})))
    assert both["overridden"] == ["open", "late"]
