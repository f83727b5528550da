"""How much of a run is judged, beside the contributing runs: for the page of the run."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from campaigns.lifecycle.registry import RunNote
from campaigns.lifecycle.texts import format_moment
from campaigns.models import Campaign, Run, User
from campaigns.rules import is_organizer_anywhere
from campaigns.services.snapshots import CurrentReport, find_report, get_report
from evaluation.models import ScoreSet
from poolbench.number_formats import format_decimals
from poolbench.reliability.verdicts.reusability import COLLECTION, LEAST_TEAMS, CollectionReport


def describe_judged_share(user: User, run: Run) -> Iterator[RunNote]:
    """From the first judgments on; to a team once scores are released, as judged@k is
    one of them. Of a new run, whether the verdict on the collection is about runs like it.
    """
    if run.state != Run.State.ACCEPTED or not can_see_share(user, run.campaign):
        return
    current = find_report(run.campaign, COLLECTION)
    if find_share(current, run) is None:
        current = get_report(run.campaign, COLLECTION)
    share = find_share(current, run)
    if share is None:
        if current and current.job and not current.job.is_over:
            yield RunNote(_("How much of this run is judged is being computed."))
        return
    assert current and current.report and current.computed_at  # noqa: S101, PT018
    yield note_share(current.report, run, share, format_moment(current.computed_at))


def can_see_share(user: User, campaign: Campaign) -> bool:
    if not campaign.qrels.exists() and not campaign.judgments.exists():
        return False
    released = ScoreSet.objects.filter(campaign=campaign, released_at__isnull=False)
    return is_organizer_anywhere(user, campaign) or released.exists()


def find_share(current: CurrentReport[CollectionReport] | None, run: Run) -> float | None:
    """None before the figures of this run: older ones may have another run of its tag."""
    if current is None or current.report is None or current.computed_at is None:
        return None
    if run.checked_at and current.computed_at < run.checked_at:
        return None
    return {**current.report.judged, **current.report.others}.get(run.tag)


def note_share(report: CollectionReport, run: Run, share: float, moment: str) -> RunNote:
    is_new = run.tag not in report.judged
    compares = is_new and report.teams >= LEAST_TEAMS.value
    is_like = report.is_like_contributors(share)
    if not compares:
        text = _(
            "Judged@%(k)s of this run is %(share)s, of nine of ten contributing runs %(low)s or "
            "more (%(at)s)."
        )
    elif is_like:
        text = _(
            "Judged@%(k)s of this run is %(share)s (%(at)s): it did not contribute to the pool, "
            "but as much of it is judged as of contributing runs: without their own team, those "
            "of nine of ten teams have %(low)s or more on average."
        )
    else:
        text = _(
            "Judged@%(k)s of this run is only %(share)s (%(at)s): it did not contribute to the "
            "pool, and finds other documents than contributing runs: even without their own team, "
            "those of nine of ten teams have %(low)s or more on average. Its scores may be too "
            "low, since unjudged documents count as not relevant."
        )
    low = report.by_team.low_judged if compares else report.low_judged
    words = {
        "k": report.cut,
        "share": format_decimals(share, 2, limit=low),
        "low": format_decimals(low, 2),
        "at": moment,
    }
    return RunNote(text % words, is_warning=compares and not is_like)
