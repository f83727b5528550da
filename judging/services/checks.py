"""What a judgment must be before it is written down."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Document
from judging.models import Judgment, Plan, Purpose
from judging.rules import FLAGS, MAX_PASSAGE, MAX_PASSAGES, SKIP_REASONS
from judging.services.judgment_log import JudgmentSubmission, previous_judgments


def check_judgment(submission: JudgmentSubmission) -> None:
    """Refuse a skip without reason, and flags or passages that are none."""
    if submission.kind == Judgment.Kind.SKIP and submission.reason not in SKIP_REASONS:
        names = ", ".join(SKIP_REASONS)
        raise ActionRefused(
            "no-reason",
            _("A skip needs a reason."),
            _("Choose one of: %(names)s.") % {"names": names},
        )
    unknown = sorted(set(submission.flags) - set(FLAGS))
    if unknown or len(set(submission.flags)) != len(submission.flags):
        raise ActionRefused(
            "no-flag",
            _("No flags: %(names)s.") % {"names": ", ".join(unknown)},
            _("Use, once each: %(names)s.") % {"names": ", ".join(FLAGS)},
        )
    if "duplicate" in submission.flags and not is_other_document(submission):
        raise ActionRefused(
            "no-original",
            _("A duplicate is one of another document of the campaign."),
            _("Give the docno of the document that it repeats."),
        )
    check_passages(submission)


def is_other_document(submission: JudgmentSubmission) -> bool:
    known = submission.campaign.documents.filter(docno=submission.duplicate_of)
    return submission.duplicate_of != submission.docno and known.exists()


def check_passages(submission: JudgmentSubmission) -> None:
    ok = len(submission.passages) <= MAX_PASSAGES and all(
        0 < len(text) <= MAX_PASSAGE
        and (start is None) == (end is None)
        and (start is None or end is None or 0 <= start < end)
        for start, end, text in submission.passages
    )
    if not ok:
        raise ActionRefused(
            "bad-passages",
            _("At most %(most)s passages of at most %(length)s characters can be marked.")
            % {"most": MAX_PASSAGES, "length": number_format(MAX_PASSAGE, force_grouping=True)},
            _("Mark fewer or shorter ones."),
        )


def check_grade(submission: JudgmentSubmission) -> None:
    if submission.kind != Judgment.Kind.GRADE:
        return
    scale = campaign_grades(submission.campaign)
    if submission.grade not in scale:
        grades = ", ".join(map(str, scale))
        raise ActionRefused(
            "off-scale",
            _("%(grade)s is not on the grade scale.") % {"grade": submission.grade},
            _("Use %(grades)s.") % {"grades": grades},
        )


def campaign_grades(campaign: Campaign) -> list[int]:
    return list(campaign.grades.values_list("value", flat=True))


def check_rationale(submission: JudgmentSubmission, plan: Plan) -> None:
    """Where the plan asks for it, a relevant document needs a passage that says why.

    Only of a text: of a PDF, a picture or no document the screen lets nobody mark anything.
    """
    if plan.rationale != Plan.Rationale.RELEVANT or submission.passages or submission.grade is None:
        return
    if submission.grade >= submission.campaign.relevance_level and can_be_highlighted(submission):
        raise ActionRefused(
            "no-passage",
            _("A relevant document needs a passage that shows why."),
            _("Select the passage, press p, and judge again."),
        )


def can_be_highlighted(submission: JudgmentSubmission) -> bool:
    texts = submission.campaign.documents.filter(
        docno=submission.docno, format__in=(Document.Format.TEXT, Document.Format.HTML)
    )
    return texts.exclude(body="").exists()


def check_not_own_judgment(submission: JudgmentSubmission) -> None:
    """Nobody adjudicates a pair that they judged themselves."""
    own = previous_judgments(submission).filter(purpose__in=(Purpose.JUDGE, Purpose.REPEAT))
    if own.exists():
        raise ActionRefused(
            "own-judgment",
            _("You judged document %(docno)s of topic %(topic)s yourself.")
            % {"docno": submission.docno, "topic": submission.topic.number},
            _("Leave it to another adjudicator, or settle it together at a meeting."),
        )
