"""The confirmation before submission is closed or reopened, and before a run is withdrawn."""

from datetime import datetime

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.errors import format_utc
from campaigns.models import Campaign, CampaignTask, Run, Team
from poolbench.files.faults import format_count, list_names

CLOSE = "close-submissions"
"""The code with which freezing a pool or releasing scores also closes submission."""


def count_participants(campaign: Campaign) -> str:
    """``3 teams, 5 people``: those who have joined."""
    joined = campaign.members.filter(team__isnull=False)
    teams = joined.order_by().values("team").distinct().count()
    people = joined.count()
    return f"{format_count(teams, 'team')}, {format_count(people, 'person', 'people')}"


def has_participants(campaign: Campaign) -> bool:
    return campaign.members.filter(team__isnull=False).exists()


def format_submission(campaign: Campaign) -> str:
    if campaign.runs_deadline is None:
        return "Submission is open: the campaign has no run deadline"
    if campaign.takes_runs():
        return f"Submission is open until {format_utc(campaign.runs_deadline)}"
    teams = campaign.list_teams_with_more_time()
    each = [f"{team.name} until {format_utc(team.runs_deadline)}" for team in teams]  # type: ignore[arg-type]
    return f"Submission is open for {', '.join(each)}" if each else "Submission is closed"


def list_submission_matters(
    campaign: Campaign, although: str, risk: str, task: CampaignTask | None = None
) -> list[OpenMatter]:
    """That runs can still come in, to ``task``, with closing as the remedy. ``although``: the verb
    of the act; ``risk``: what may go wrong.
    """
    if not campaign.takes_runs_of_a_team() or (task is not None and task.is_over):
        return []
    override = ConfirmationChoice("submission-open", f"{although} although submission is open")
    if task is not None:
        # Closing would end the other tasks, too.
        ends = f" until {format_utc(task.deadline)}" if task.deadline else ", without a deadline"
        url = reverse("task-edit", args=[campaign.slug, task.slug])
        text = f"Submission to {task} is open{ends}."
        return [OpenMatter(text, override, risk, url=url, link="Change the deadline")]
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
            override=override,
            url=reverse("campaign-settings", args=[campaign.slug]),
            link="Change the deadline",
        )
    ]


def list_done_submission(campaign: Campaign) -> list[str]:
    if campaign.takes_runs_of_a_team() or campaign.runs_deadline is None:
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
            Consequence("Can be undone", "“Reopen submission” opens it again, and asks first. The"
                        " log keeps both."),
        ),
        consents=tuple(consents) if has_participants(campaign) else (),
        button="Close submission",
        back=reverse("runs", args=[campaign.slug]),
    )  # fmt: skip


def describe_reopening(
    campaign: Campaign, until: datetime | None, team: Team | None
) -> Confirmation:
    """Before runs are taken until ``until``: of all teams, or of ``team`` alone."""
    verb = "Extend" if campaign.takes_runs() or team else "Reopen"
    whom = f" for team {team.name}" if team else ""
    deadline = campaign.runs_deadline
    was = f"Run deadline: {format_utc(deadline)}" if deadline else "No run deadline"
    becomes = f"Open until {format_utc(until)}" if until else "Open without a deadline"
    knowing = list_knowing_teams(campaign)
    matters = []
    if knowing and (team is None or team.name in knowing):
        count = 1 if team else len(knowing)
        knows = f"{format_count(count, 'team')} {'knows' if count == 1 else 'know'} them"
        matters.append(
            OpenMatter(
                text=f"Scores are released: {knows}"
                f" ({team.name if team else list_names(knowing)}).",
                detail="A run that is submitted now can be tuned to them, or be a copy.",
                override=ConfirmationChoice("scores-known", f"{verb} although scores are known"),
                url=reverse("scores", args=[campaign.slug]),
                link="View scores",
            )
        )
    people = f"Team {team.name}" if team else count_participants(campaign)
    sees = "can submit, replace and withdraw runs until then. They get a mail, and see a notice."
    consequences = [Consequence(people, sees)]
    if campaign.score_sets.filter(released_at__isnull=False).exists():
        marked = "are marked “after release” on all pages, in downloads and in the API, for good."
        consequences.append(Consequence("New runs", marked))
    if campaign.pools.exists():
        text = "do not change: documents of new runs are judged only as far as others found them."
        consequences.append(Consequence("Frozen pools", text))
    judging = campaign.judging_deadline
    if judging and judging > timezone.now() and (until is None or until > judging):
        text = f"closes before that, on {format_utc(judging)}: set a later date in the settings."
        consequences.append(Consequence("Judging", text))
    back = "“Close submission” ends it at any time. The log keeps both."
    return Confirmation(
        question=f"{verb} submission{whom}?",
        summary=f"{was}. {becomes}.",
        before=f"Before you {verb.lower()}",
        open=tuple(matters),
        consequences=(*consequences, Consequence("Can be undone", back)),
        button=f"{verb} submission{whom}",
        back=reverse("runs", args=[campaign.slug]),
    )


def list_knowing_teams(campaign: Campaign) -> list[str]:
    """The names of the teams that see released scores."""
    scored = campaign.runs.released().order_by()
    teams = campaign.teams.filter(pk__in=scored.values("team"))
    if teams.exists() and campaign.board != Campaign.Board.OWN:
        teams = campaign.teams.filter(members__isnull=False).distinct()
    return list(teams.values_list("name", flat=True))


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
