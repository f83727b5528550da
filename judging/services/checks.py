"""Checks of a judgment before it is saved."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Document
from campaigns.queries.collection_files import load_collection_index
from judging.models import Judgment, Plan, Purpose
from judging.rules import EXPLAINED, FLAGS, MAX_PASSAGE, MAX_PASSAGES, SKIP_REASONS
from judging.services.judgment_log import JudgmentSubmission, previous_judgments


def check_judgment(submission: JudgmentSubmission) -> None:
    """Refuse a skip without a reason or its explanation, and invalid flags or passages."""
    if submission.kind == Judgment.Kind.SKIP and submission.reason not in SKIP_REASONS:
        names = ", ".join(SKIP_REASONS)
        raise ActionRefused(
            "no-reason",
            _("Give a reason for skipping."),
            _("Choose one of: %(names)s.") % {"names": names},
        )
    if submission.reason in EXPLAINED and not submission.comment.strip():
        raise ActionRefused(
            "no-explanation",
            _("Say why you skip this document."),
            _("Enter a few words, or choose another reason."),
        )
    unknown = sorted(set(submission.flags) - set(FLAGS))
    if unknown or len(set(submission.flags)) != len(submission.flags):
        raise ActionRefused(
            "no-flag",
            _("Unknown or repeated flags: %(names)s.")
            % {"names": ", ".join(unknown or submission.flags)},
            _("Use each flag at most once: %(names)s.") % {"names": ", ".join(FLAGS)},
        )
    if "duplicate" in submission.flags and not is_other_document(submission):
        raise ActionRefused(
            "no-original",
            _("The original of a duplicate must be another document of the campaign."),
            _("Enter the docno of the original."),
        )
    check_passages(submission)


def is_other_document(submission: JudgmentSubmission) -> bool:
    original, campaign = submission.original_docno, submission.campaign
    if original == submission.docno:
        return False
    known = campaign.documents.filter(docno=original).exists()
    return known or original in (load_collection_index(campaign) or ())


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
            _("Passages are limited to %(most)s of at most %(length)s characters.")
            % {"most": MAX_PASSAGES, "length": number_format(MAX_PASSAGE, force_grouping=True)},
            _("Highlight fewer or shorter passages."),
        )


def check_grade(submission: JudgmentSubmission) -> None:
    if submission.kind != Judgment.Kind.GRADE:
        return
    scale = list(submission.campaign.grades.values_list("value", flat=True))
    if submission.grade not in scale:
        grades = ", ".join(map(str, scale))
        raise ActionRefused(
            "off-scale",
            _("Grade %(grade)s is not on the grade scale.") % {"grade": submission.grade},
            _("Use one of: %(grades)s.") % {"grades": grades},
        )


def check_rationale(submission: JudgmentSubmission, plan: Plan) -> None:
    """If the plan requires a rationale, a relevant document needs a highlighted passage.

    Only for texts: nothing can be highlighted in a PDF, an image or a missing document.
    """
    if plan.rationale != Plan.Rationale.RELEVANT or submission.passages or submission.grade is None:
        return
    if submission.grade >= submission.campaign.relevance_level and can_be_highlighted(submission):
        raise ActionRefused(
            "no-passage",
            _("Highlight a supporting passage in documents you judge relevant."),
            _("Select the passage, press p, and judge again."),
        )


def can_be_highlighted(submission: JudgmentSubmission) -> bool:
    texts = submission.campaign.documents.filter(
        docno=submission.docno, format__in=(Document.Format.TEXT, Document.Format.HTML)
    )
    return texts.exclude(body="").exists()


def check_not_own_judgment(submission: JudgmentSubmission) -> None:
    """Refuse to adjudicate a pair that the actor judged."""
    own = previous_judgments(submission).filter(purpose__in=(Purpose.JUDGE, Purpose.REPEAT))
    if own.exists():
        raise ActionRefused(
            "own-judgment",
            _("You cannot adjudicate document %(docno)s of topic %(topic)s: you judged it.")
            % {"docno": submission.docno, "topic": submission.topic.number},
            _("Leave it to another adjudicator or to a consensus meeting."),
        )
