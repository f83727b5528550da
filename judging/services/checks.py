"""What a judgment must be before it is written down."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Document
from judging.models import Judgment, Plan, Purpose
from judging.rules import FLAGS, MAX_PASSAGE, MAX_PASSAGES, SKIP_REASONS
from judging.services.judgment_log import JudgmentSubmission, previous_judgments


def check_judgment(said: JudgmentSubmission) -> None:
    """Refuse a skip without reason, and flags or passages that are none."""
    if said.kind == Judgment.Kind.SKIP and said.reason not in SKIP_REASONS:
        told = ", ".join(SKIP_REASONS)
        raise ActionRefused(
            "no-reason",
            _("A skip needs a reason."),
            _("Choose one of: %(names)s.") % {"names": told},
        )
    unknown = sorted(set(said.flags) - set(FLAGS))
    if unknown or len(set(said.flags)) != len(said.flags):
        raise ActionRefused(
            "no-flag",
            _("No flags: %(names)s.") % {"names": ", ".join(unknown)},
            _("Use, once each: %(names)s.") % {"names": ", ".join(FLAGS)},
        )
    if "duplicate" in said.flags and not is_other_document(said):
        raise ActionRefused(
            "no-original",
            _("A duplicate is one of another document of the campaign."),
            _("Give the docno of the document that it repeats."),
        )
    check_passages(said)


def is_other_document(said: JudgmentSubmission) -> bool:
    known = said.campaign.documents.filter(docno=said.duplicate_of)
    return said.duplicate_of != said.docno and known.exists()


def check_passages(said: JudgmentSubmission) -> None:
    ok = len(said.passages) <= MAX_PASSAGES and all(
        0 < len(text) <= MAX_PASSAGE
        and (start is None) == (end is None)
        and (start is None or end is None or 0 <= start < end)
        for start, end, text in said.passages
    )
    if not ok:
        raise ActionRefused(
            "bad-passages",
            _("At most %(most)s passages of at most %(length)s characters can be marked.")
            % {"most": MAX_PASSAGES, "length": number_format(MAX_PASSAGE, force_grouping=True)},
            _("Mark fewer or shorter ones."),
        )


def check_grade(said: JudgmentSubmission) -> None:
    if said.kind != Judgment.Kind.GRADE:
        return
    scale = campaign_grades(said.campaign)
    if said.grade not in scale:
        told = ", ".join(map(str, scale))
        raise ActionRefused(
            "off-scale",
            _("%(grade)s is not on the grade scale.") % {"grade": said.grade},
            _("Use %(grades)s.") % {"grades": told},
        )


def campaign_grades(campaign: Campaign) -> list[int]:
    return list(campaign.grades.values_list("value", flat=True))


def check_rationale(said: JudgmentSubmission, plan: Plan) -> None:
    """Where the plan asks for it, a relevant document needs a passage that says why.

    Only of a text: of a PDF, a picture or no document the screen lets nobody mark anything.
    """
    if plan.rationale != Plan.Rationale.RELEVANT or said.passages or said.grade is None:
        return
    if said.grade >= said.campaign.relevance_level and can_be_highlighted(said):
        raise ActionRefused(
            "no-passage",
            _("A relevant document needs a passage that shows why."),
            _("Select the passage, press p, and judge again."),
        )


def can_be_highlighted(said: JudgmentSubmission) -> bool:
    texts = said.campaign.documents.filter(
        docno=said.docno, format__in=(Document.Format.TEXT, Document.Format.HTML)
    )
    return texts.exclude(body="").exists()


def check_not_own_judgment(said: JudgmentSubmission) -> None:
    """Nobody adjudicates a pair that they judged themselves."""
    own = previous_judgments(said).filter(purpose__in=(Purpose.JUDGE, Purpose.REPEAT))
    if own.exists():
        raise ActionRefused(
            "own-judgment",
            _("You judged document %(docno)s of topic %(topic)s yourself.")
            % {"docno": said.docno, "topic": said.topic.number},
            _("Leave it to another adjudicator, or settle it together at a meeting."),
        )
