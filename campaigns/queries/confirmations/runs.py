"""The confirmation before submission is closed, and before a run is withdrawn."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.errors import format_utc
from campaigns.models import Campaign, Run
from poolbench.files.faults import format_count

CLOSE = "close-submissions"
"""The code with which freezing a pool or releasing scores also closes submission."""
MOST_NAMED = 5


def count_participants(campaign: Campaign) -> str:
    """``3 teams, 5 people``: those who have joined."""
    joined = campaign.members.filter(team__isnull=False)
    teams = joined.order_by().values("team").distinct().count()
    people = joined.count()
    return f"{format_count(teams, 'team')}, {people:,} {'person' if people == 1 else 'people'}"


def has_participants(campaign: Campaign) -> bool:
    return campaign.members.filter(team__isnull=False).exists()


def list_names(names: list[str]) -> str:
    """The first few names of a list, and how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def format_submission(campaign: Campaign) -> str:
    if campaign.runs_deadline is None:
        return "Submission is open: the campaign has no run deadline"
    return f"Submission is open until {format_utc(campaign.runs_deadline)}"


def list_submission_matters(campaign: Campaign, although: str, risk: str) -> list[OpenMatter]:
    """That runs can still come in, with closing as the remedy. ``although``: the verb of the
    act; ``risk``: what may go wrong.
    """
    if not campaign.takes_runs():
        return []
    return [
        OpenMatter(
            text=f"{format_submission(campaign)}.",
            detail=risk,
            remedy=ConfirmationChoice(
                CLOSE,
                "Close submission now",
                f"{count_participants(campaign)} can no longer submit, replace or withdraw runs,"
                " and see a notice.",
            ),
            override=ConfirmationChoice(
                "submission-open", f"{although} although submission is open"
            ),
            url=reverse("campaign-settings", args=[campaign.slug]),
            link="Change the deadline",
        )
    ]


def list_done_submission(campaign: Campaign) -> list[str]:
    if campaign.takes_runs() or campaign.runs_deadline is None:
        return []
    return [f"Submission is closed since {format_utc(campaign.runs_deadline)}."]


def list_check_matters(campaign: Campaign, although: str) -> list[OpenMatter]:
    """That runs are still being checked."""
    count = campaign.runs.filter(state=Run.State.RECEIVED).count()
    if not count:
        return []
    return [
        OpenMatter(
            text=f"{format_count(count, 'run')} still being checked.",
            detail="Accepted or rejected in a moment.",
            override=ConfirmationChoice(
                "runs-checking", f"{although} without waiting for the check"
            ),
            url=reverse("runs", args=[campaign.slug]),
            link="View runs",
        )
    ]


def describe_closing(campaign: Campaign) -> Confirmation:
    """Before *Close submission now*."""
    runs = campaign.runs.accepted()
    submitted = runs.order_by().values("team")
    without = list(campaign.teams.exclude(pk__in=submitted).values_list("name", flat=True))
    matters = list_check_matters(campaign, "Close")
    if without:
        matters.append(
            OpenMatter(
                text=f"{format_count(len(without), 'team')} without an accepted run:"
                f" {list_names(without)}.",
                override=ConfirmationChoice(
                    "teams-without-run", "Close although teams have no run"
                ),
                url=reverse("runs", args=[campaign.slug]),
                link="View runs",
            )
        )
    people = count_participants(campaign)
    consents = [ConfirmationChoice("closes-submission", f"{people} can no longer submit")]
    return Confirmation(
        question="Close submission now?",
        summary=f"{format_submission(campaign)}. {format_count(runs.count(), 'accepted run')}.",
        before="Before you close",
        open=tuple(matters),
        consequences=(
            Consequence(people, "can no longer submit, replace or withdraw runs. They see a"
                        " notice with the time."),
            Consequence("Organizers", "can still submit for a team."),
            Consequence("Runs being checked", "are accepted or rejected as if in time."),
            Consequence("Can be undone", "A later run deadline in the settings opens submission"
                        " again. The log keeps both."),
        ),
        consents=tuple(consents) if has_participants(campaign) else (),
        button="Close submission",
        back=reverse("runs", args=[campaign.slug]),
    )  # fmt: skip


def describe_withdrawal(run: Run) -> Confirmation:
    """Before a run is withdrawn; after a release it stays in the scores."""
    campaign = run.campaign
    released = run.is_released
    consequences = [Consequence(_("For good"), _("A withdrawn run cannot be accepted again."))]
    if released:
        consequences += [
            Consequence(_("Released scores"), _("stay as they are. The run is marked withdrawn,"
                        " with today's date, on the leaderboard, in downloads and in the API.")),
            Consequence(_("Later evaluations"), _("include the run: a team that knows its scores"
                        " cannot change the set of runs.")),
            Consequence(_("Tag and run limit"), _("The run keeps its tag, and still counts towards"
                        " the run limit.")),
        ]  # fmt: skip
    else:
        consequences += [
            Consequence(_("Evaluations"), _("leave the run out from now on.")),
            Consequence(_("Tag and run limit"), _("The team can reuse the tag, and the run no"
                        " longer counts towards the run limit.")),
        ]  # fmt: skip
    pools = [pool.version for pool in campaign.pools.all() if is_pooled(run, pool.spec)]
    if pools:
        versions = ", ".join(map(str, pools))
        text = _("Pool %(versions)s contains its documents, and does not change.")
        consequences.append(Consequence(_("Pools"), text % {"versions": versions}))
    consequences.append(Consequence(_("On record"), _("The run and its file stay on record.")))
    consents = [
        ConfirmationChoice("stays-in-scores", _("The run stays in the scores, marked withdrawn"))
    ]
    return Confirmation(
        question=_("Withdraw run %(tag)s?") % {"tag": run.tag},
        summary=_("%(team)s, submitted %(at)s.")
        % {"team": run.team.name, "at": format_utc(run.submitted_at)},
        before=_("Before you withdraw"),
        consequences=tuple(consequences),
        consents=tuple(consents) if released else (),
        button=_("Withdraw run"),
        back=run.get_absolute_url(),
    )


def is_pooled(run: Run, spec: dict[str, list[dict[str, int]]]) -> bool:
    return any(each.get("id") == run.pk for each in spec["runs"])
