"""Create and configure campaigns: texts, limits, deadlines and grade scale."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.text import slugify

from campaigns import store
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Campaign, Grade, Guideline, Member, Role, Team, User
from campaigns.models.event_phrases import describe_value
from campaigns.queries.confirmations.runs import CLOSE, describe_closing, describe_reopening
from campaigns.queries.confirmations.settings import describe_visibility
from campaigns.queries.lists import has_released_scores
from campaigns.rules import require_permission
from campaigns.services import events, letters
from campaigns.services.decisions import check_decision
from campaigns.services.teams import save_terms_version
from poolbench.judging.scale import GradeSpec, list_scale_faults


def create_campaign(
    *, actor: User, title: str, scale: Sequence[GradeSpec], slug: str = "", **settings: Any
) -> Campaign:
    """Create a campaign; ``actor`` becomes its first organizer."""
    require_permission(actor, "campaigns.create")
    campaign = Campaign(
        title=title, slug=slug or make_unique_slug(title), created_by=actor, **settings
    )
    check_fields(campaign)
    check_scale(scale, campaign.relevance_level)
    with transaction.atomic():
        campaign.save()
        write_scale(campaign, scale)
        save_guideline_version(actor, campaign)
        save_terms_version(actor, campaign)
        Member.objects.create(campaign=campaign, user=actor, role=Role.ORGANIZER)
        events.log_event(campaign, actor, "campaign.created", title)
    return campaign


def update_campaign(
    *, actor: User, campaign: Campaign, scale: Sequence[GradeSpec] | None = None, **changes: Any
) -> Campaign:
    """Change fields of ``campaign``, and its scale if one is given: all changes or none."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        # Locked, so that a release of scores, or closing, comes before or after.
        stored = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        changed = sorted(name for name, value in changes.items() if getattr(stored, name) != value)
        for name in changed:
            setattr(campaign, name, changes[name])
        check_test_not_fixed(stored, changed)
        check_board_not_released(stored, changed)
        check_not_reopened(stored, changes)
        check_fields(campaign)
        former = get_grade_scale(campaign)
        check_scale(former if scale is None else scale, campaign.relevance_level, former)
        if scale is not None and tuple(scale) != former:
            replace_scale(actor, campaign, scale)
        if changed:
            campaign.save(update_fields=changed)
            if "guidelines" in changed:
                save_guideline_version(actor, campaign)
            if "terms" in changed:
                save_terms_version(actor, campaign)
            values = {name: describe_value(changes[name])[:200] for name in changed}
            events.log_event(campaign, actor, "campaign.updated", **values)
        # Of closed submission a later date that has passed, too, lets in no runs.
        if stored.takes_runs() and is_later(campaign.runs_deadline, stored.runs_deadline):
            log_later_deadline(actor, stored, campaign.runs_deadline)
    return campaign


def save_guideline_version(actor: User, campaign: Campaign) -> None:
    """Add a guideline version if the text has changed. Call it in a transaction."""
    # Locked: a concurrent call waits here and then sees the first one's version.
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    last = campaign.guideline_versions.first()
    if campaign.guidelines == (last.text if last else ""):
        return
    campaign.guideline_version = last.version + 1 if last else 1
    Guideline.objects.create(
        campaign=campaign,
        version=campaign.guideline_version,
        text=campaign.guidelines,
        sha256=store.sha256(campaign.guidelines.encode()),
        by=actor,
    )
    campaign.save(update_fields=["guideline_version"])


def check_test_not_fixed(campaign: Campaign, changed: Sequence[str]) -> None:
    """The test must be chosen before scores are known, otherwise its p values mean nothing."""
    # Score sets belong to an upper app; only the reverse relation is known here.
    if not {"test", "correction", "alpha"}.isdisjoint(changed) and campaign.score_sets.exists():
        message = "The significance test cannot be changed: scores have already been computed."
        fix = "Use other tests on the comparison pages; they are marked exploratory."
        raise ActionRefused("test-fixed", message, fix)


def check_board_not_released(campaign: Campaign, changed: Sequence[str]) -> None:
    """After a release only ``change_visibility`` does it, which gives participants a notice."""
    if "board" in changed and has_released_scores(campaign):
        message = "Scores are released: what participants see is not changed in the settings."
        fix = "Use “Change what participants see”, which lists the consequences."
        raise ActionRefused("board-released", message, fix)


def change_visibility(
    *, actor: User, campaign: Campaign, board: str, decision: Decision | None = None
) -> Campaign:
    """Change what participants see of released scores; they get a notice."""
    require_permission(actor, "campaigns.manage", campaign)
    if board not in Campaign.Board.values:
        known = ", ".join(Campaign.Board.values)
        raise ActionRefused(
            "bad-settings", f"Unknown visibility: {board}.", f"Use one of: {known}."
        )
    with transaction.atomic():
        stored = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if stored.board == board:
            raise ActionRefused("same-visibility", "Participants see this already.")
        confirmed = check_decision(partial(describe_visibility, stored, board), decision)
        before, campaign.board = stored.board, board
        campaign.save(update_fields=["board"])
        label = str(Campaign.Board(board).label)
        changed = confirmed | {"before": before, "after": board}
        events.log_event(campaign, actor, "board.changed", label, **changed)
    return campaign


def close_submissions(
    *, actor: User, campaign: Campaign, decision: Decision | None = None
) -> Campaign:
    """End the submission of runs now; participants get a notice."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        stored = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if not stored.takes_runs_of_a_team():
            raise ActionRefused("already-closed", "Submission is already closed.")
        confirmed = check_decision(partial(describe_closing, stored), decision)
        campaign.runs_deadline = stored.runs_deadline
        write_closing(actor, campaign, **confirmed)
    return campaign


def close_if_chosen(actor: User, campaign: Campaign, decision: Decision | None) -> None:
    """Close submission together with another act, if ``decision`` says so."""
    if decision is not None and CLOSE in decision.codes and campaign.takes_runs_of_a_team():
        write_closing(actor, campaign)


def reopen_submissions(
    *,
    actor: User,
    campaign: Campaign,
    until: datetime | None,
    team: Team | None = None,
    decision: Decision | None = None,
) -> Campaign:
    """Take runs until ``until``, None for no deadline: of all teams, or of ``team`` alone.

    While submission is open it is extended. Participants get a notice.
    """
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        stored = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        check_later_deadline(stored, until, team)
        confirmed = check_decision(partial(describe_reopening, stored, until, team), decision)
        changed: Campaign | Team = campaign if team is None else team
        changed.runs_deadline = until
        changed.save(update_fields=["runs_deadline"])
        log_later_deadline(actor, stored, until, team, **confirmed)
    return campaign


def check_later_deadline(campaign: Campaign, until: datetime | None, team: Team | None) -> None:
    if team is not None and team.campaign_id != campaign.pk:
        raise PermissionDenied(f"{team} belongs to another campaign")
    deadline = campaign.runs_deadline
    past = until is not None and until <= timezone.now()
    if past or not is_later(until, deadline) or (team is not None and until is None):
        now = f"The run deadline is {format_utc(deadline)}." if deadline else "There is none."
        fix = f"{now} Enter a later date, in the future."
        raise ActionRefused("not-later", "This does not let in more runs.", fix)


def is_later(until: datetime | None, deadline: datetime | None) -> bool:
    """None is no deadline: nothing is later than that."""
    return deadline is not None and (until is None or until > deadline)


def log_later_deadline(
    actor: User, before: Campaign, until: datetime | None, team: Team | None = None, **data: Any
) -> None:
    """Log it, with letters to the teams. ``before``: the campaign as it was. Call it in a
    transaction.
    """
    code = "submissions.extended" if before.takes_runs() or team else "submissions.reopened"
    deadline = before.runs_deadline
    data["deadline_before"] = deadline.isoformat() if deadline else None
    data["deadline"] = until.isoformat() if until else None
    data["after_release"] = has_released_scores(before)
    if team is not None:
        data["team"] = team.pk
    when = f"until {format_utc(until)}" if until else "without a deadline"
    subject = f"{team.name}, {when}" if team else when
    event = events.log_event(before, actor, code, subject, **data)
    letters.queue_deadline_letters(event, before, until, team)


def check_not_reopened(campaign: Campaign, changes: Mapping[str, Any]) -> None:
    """``campaign`` as stored: opening it again is an act of its own."""
    until = changes.get("runs_deadline", campaign.runs_deadline)
    if not campaign.takes_runs() and (until is None or until > timezone.now()):
        message = "Submission is closed; this run deadline would open it again."
        fix = "Use “Reopen submission”, which lists the consequences."
        raise ActionRefused("reopens-submission", message, fix)


def write_closing(actor: User, campaign: Campaign, **data: Any) -> None:
    """Set the run deadline to now, of teams that were given more time too, and log it. Call it in
    a transaction.
    """
    before, now = campaign.runs_deadline, timezone.now()
    campaign.list_teams_with_more_time().update(runs_deadline=now)
    if campaign.takes_runs():
        campaign.runs_deadline = now
        campaign.save(update_fields=["runs_deadline"])
    data["deadline_before"] = before.isoformat() if before else None
    events.log_event(campaign, actor, "submissions.closed", **data)


def get_grade_scale(campaign: Campaign) -> tuple[GradeSpec, ...]:
    return tuple(
        GradeSpec(grade.value, grade.label, grade.key, grade.gain, grade.meaning)
        for grade in campaign.grades.all()
    )


def replace_scale(actor: User, campaign: Campaign, scale: Sequence[GradeSpec]) -> None:
    # Judgments belong to an upper app; only the reverse relation is known here. They have grades,
    # not keys.
    same = remove_keys(scale) == remove_keys(get_grade_scale(campaign))
    if campaign.judgments.exists() and not same:
        message = "The grade scale cannot be changed: judgments already use it."
        fix = "Correct labels and descriptions one by one, or create a new campaign."
        raise ActionRefused("scale-in-use", message, fix)
    campaign.grades.all().delete()
    write_scale(campaign, scale)
    grades = ", ".join(f"{step.value} {step.label}" for step in scale)
    events.log_event(campaign, actor, "campaign.scale_set", grades)


def remove_keys(scale: Sequence[GradeSpec]) -> list[GradeSpec]:
    return [replace(step, key="") for step in scale]


def write_scale(campaign: Campaign, scale: Sequence[GradeSpec]) -> None:
    Grade.objects.bulk_create(Grade(campaign=campaign, **vars(step)) for step in scale)


def check_scale(
    scale: Sequence[GradeSpec], relevance_level: int, former: Sequence[GradeSpec] = ()
) -> None:
    wrong = list_scale_faults(scale, relevance_level, former)
    if wrong:
        raise ActionRefused("bad-scale", " ".join(wrong), "Correct the grade scale.")


def check_fields(row: Model) -> None:
    try:
        row.full_clean()
    except ValidationError as error:
        faults = [f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()]
        raise ActionRefused("bad-settings", " ".join(faults)) from error


def make_unique_slug(title: str) -> str:
    base = slugify(title)[:50] or "campaign"
    taken = set(Campaign.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return base if base not in taken else next(slug for slug in numbered if slug not in taken)
