"""Crowd studies: create, edit, start, pause, stop, extend; versions of the consent text."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, fields, replace
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.rules import require_permission
from campaigns.services.decisions import check_decision
from campaigns.services.events import log_event
from crowd.models import ConsentText, Study
from crowd.queries.confirmations import describe_study_start, describe_study_stop
from crowd.queries.start_checks import MISSING, list_start_checks
from crowd.queries.study_terms import fill_consent_text, get_consent_text
from crowd.queries.unsure_pairs import preview_unsure_pairs
from crowd.rules import check_changes, check_study_options
from judging.models import Audience, Plan, Purpose
from judging.services.crowd_plans import PlanOptions, ask_one_more
from judging.services.plans import close_plan, create_plan, pause_plan
from poolbench.crowd.options import StudyExtension, StudyOptions
from poolbench.files.faults import format_count
from pooling.models import Pool

State = Study.State


def create_study(
    *,
    actor: User,
    pool: Pool,
    options: StudyOptions,
    redundancy: int = 3,
    max_redundancy: int | None = None,
    topics: Collection[str] | None = None,
    consent: str = "",
) -> Study:
    """Plan the pairs of ``pool`` that are in no plan for the crowd, as a study in draft.

    Each pair gets ``redundancy`` judgments, and up to ``max_redundancy`` where the extra budget is
    spent. ``topics`` are topic numbers, all if None. ``consent`` is the first consent text; its
    placeholders are filled. Without one the study cannot start.
    """
    require_permission(actor, "campaigns.manage", pool.campaign)
    check_study_options(options)
    if max_redundancy is not None and max_redundancy < redundancy:
        raise ActionRefused(
            "bad-redundancy",
            f"At most {max_redundancy} judgments of a pair are fewer than {redundancy}.",
            "Enter a maximum that is not below the redundancy.",
        )
    with transaction.atomic():
        plan = create_plan(
            actor=actor,
            pool=pool,
            overlap=redundancy,
            assessors={},
            topics=topics,
            scheme=PlanOptions(parameters={"n": redundancy}),
            audience=Audience.CROWD,
            max_overlap=max_redundancy,
        )
        study = Study.objects.create(
            plan=plan, campaign=pool.campaign, created_by=actor, **asdict(options)
        )
        log_study_event(actor, study, "study.created", redundancy=redundancy)
        if consent:
            write_consent_text(actor=actor, study=study, text=consent)
    return study


def edit_study(*, actor: User, study: Study, options: StudyOptions, consent: str = "") -> Study:
    """Change a study; after its start, only what ``check_changes`` allows.

    A ``consent`` that differs from the latest text, by itself or once it is filled anew, becomes a
    new version.
    """
    require_permission(actor, "campaigns.manage", study.campaign)
    check_study_options(options)
    with transaction.atomic():
        study = lock_study(study)
        require_not_stopped(study)
        before = study.options
        if study.state != State.DRAFT:
            check_changes(before, options)
        changes = {
            each.name: getattr(options, each.name)
            for each in fields(StudyOptions)
            if getattr(options, each.name) != getattr(before, each.name)
        }
        if changes:
            save_study(study, changes)
            log_study_event(actor, study, "study.changed", changes=sorted(changes))
        fill_consent_anew(actor, study, consent)
    return study


def fill_consent_anew(actor: User, study: Study, text: str = "") -> None:
    """A new version if ``text``, by default the latest one, says something else by now."""
    latest = get_consent_text(study)
    if text := text or (latest.source if latest else ""):
        write_consent_text(actor=actor, study=study, text=text)


def write_consent_text(*, actor: User, study: Study, text: str) -> ConsentText:
    """Add a version of the consent text, its placeholders filled; the latest one if it is equal.

    Units that were offered before keep the version that they were shown.
    """
    require_permission(actor, "campaigns.manage", study.campaign)
    text = text.strip()
    filled = fill_consent_text(study, text)
    if not filled:
        raise ActionRefused(
            "no-consent-text", "The consent text is empty.", "Say what workers agree to."
        )
    with transaction.atomic():
        study = lock_study(study)
        require_not_stopped(study)
        latest = get_consent_text(study)
        if latest is not None and (latest.source, latest.text) == (text, filled):
            return latest
        version = 1 if latest is None else latest.version + 1
        consent = ConsentText.objects.create(
            study=study, version=version, text=filled, template=text, created_by=actor
        )
        log_study_event(actor, study, "study.consent_written", version=version)
    return consent


def start_study(
    *, actor: User, study: Study, reason: str = "", decision: Decision | None = None
) -> Study:
    """Open a draft to workers.

    Refused while a check is ``missing``. Pay below the promised minimum needs ``reason``, which
    the log keeps.
    """
    require_permission(actor, "campaigns.manage", study.campaign)
    with transaction.atomic():
        study = lock_study(study)
        if study.state != State.DRAFT:
            raise ActionRefused(
                "study-started", f"The study is {study.get_state_display()}.", "Start a draft."
            )
        checks = list_start_checks(study)
        if missing := [check for check in checks if check.state == MISSING]:
            names = "; ".join(check.text for check in missing)
            raise ActionRefused(
                "study-not-ready", f"Not ready: {names}", "See the list on the page of the study."
            )
        if not reason.strip() and any(check.code == "pay-below" for check in checks):
            raise ActionRefused(
                "pay-below-minimum",
                "A unit pays less than the hourly minimum.",
                "Raise the pay, or give a reason, which the log keeps.",
            )
        confirmed = check_decision(partial(describe_study_start, study, reason), decision)
        save_study(study, {"state": State.RUNNING, "started_at": timezone.now()})
        more = {"reason": reason.strip()} if reason.strip() else {}
        log_study_event(actor, study, "study.started", **more, **confirmed)
    return study


def pause_study(*, actor: User, study: Study, paused: bool = True) -> Study:
    """Offer no more units, or offer them again; units in progress may finish."""
    require_permission(actor, "campaigns.manage", study.campaign)
    before, after = (State.RUNNING, State.PAUSED) if paused else (State.PAUSED, State.RUNNING)
    with transaction.atomic():
        study = lock_study(study)
        if study.state == after:
            return study
        if study.state != before:
            raise ActionRefused(
                "study-not-running",
                f"The study is {study.get_state_display()}.",
                "Only a study that runs can be paused, and only a paused one resumed.",
            )
        pause_plan(actor=actor, plan=study.plan, paused=paused)
        save_study(study, {"state": after})
        log_study_event(actor, study, "study.paused" if paused else "study.resumed")
    return study


def stop_study(*, actor: User, study: Study, decision: Decision | None = None) -> Study:
    """End a study for good, or discard a draft: its plan is closed.

    Units in progress may finish. Pairs without a judgment can be planned again.
    """
    require_permission(actor, "campaigns.manage", study.campaign)
    with transaction.atomic():
        study = lock_study(study)
        require_not_stopped(study)
        confirmed = check_decision(partial(describe_study_stop, study), decision)
        if not study.plan.is_closed:
            close_plan(actor=actor, plan=study.plan)
        save_study(study, {"state": State.STOPPED, "stopped_at": timezone.now()})
        log_study_event(actor, study, "study.stopped", **confirmed)
    return study


def extend_study(*, actor: User, study: Study, extension: StudyExtension) -> Study:
    """Raise limits of a study: units, units per worker, judgments of each pair, budget, date."""
    require_permission(actor, "campaigns.manage", study.campaign)
    with transaction.atomic():
        study = lock_study(study)
        require_not_stopped(study)
        before = study.options
        limits = {
            name: value
            for name, value in asdict(extension).items()
            if name != "redundancy" and value is not None
        }
        options = replace(before, **limits)
        check_study_options(options)
        check_changes(before, options)
        changes = {name: value for name, value in limits.items() if value != getattr(before, name)}
        redundancy = extension.redundancy
        added = 0 if redundancy is None else raise_redundancy(actor, study.plan, redundancy)
        if not changes and not added:
            raise ActionRefused(
                "nothing-to-extend", "Nothing would change.", "Enter a higher limit."
            )
        save_study(study, changes)
        log_study_event(
            actor, study, "study.extended", judgments_added=added, changes=sorted(changes)
        )
        fill_consent_anew(actor, study)
    return study


def raise_redundancy(actor: User, plan: Plan, redundancy: int) -> int:
    """Add slots until every pair of ``plan`` has ``redundancy``; return their number."""
    if redundancy < plan.overlap:
        raise ActionRefused(
            "bad-redundancy",
            f"Each pair already gets {format_count(plan.overlap, 'judgment')}.",
            "Enter a higher number: requested judgments are not withdrawn.",
        )
    if redundancy == plan.overlap:
        return 0
    steps = range(plan.overlap, redundancy)
    if plan.max_overlap is not None and plan.max_overlap < redundancy:
        plan.max_overlap = redundancy
    plan.max_overlap = plan.max_overlap or redundancy
    plan.overlap = redundancy
    plan.save(update_fields=["overlap", "max_overlap"])
    added = 0
    for k in steps:
        # Pairs that had one more asked for before have the slot already.
        planned = plan.slots.filter(purpose=Purpose.JUDGE).order_by()
        full = planned.filter(k=k).values("item")
        pairs = planned.filter(k=0).exclude(item__in=full).values_list("item", flat=True)
        added += ask_one_more(actor=actor, plan=plan, pairs=list(pairs))
    return added


def lock_study(study: Study) -> Study:
    """The study as it is now, locked until the transaction ends."""
    rows = Study.objects.select_related("campaign").select_for_update(of=("self",), no_key=True)
    return rows.get(pk=study.pk)


def require_not_stopped(study: Study) -> None:
    if study.state == State.STOPPED:
        raise ActionRefused(
            "study-stopped",
            "The study is stopped.",
            "Create another one; its pairs without a judgment are free.",
        )


def save_study(study: Study, changes: Mapping[str, Any]) -> None:
    for name, value in changes.items():
        setattr(study, name, value)
    study.save(update_fields=list(changes))


def log_study_event(actor: User, study: Study, code: str, **data: Any) -> None:
    log_event(
        campaign=study.campaign,
        actor=actor,
        code=code,
        subject=study.title,
        study=study.pk,
        plan=study.plan_id,
        **data,
    )


def request_more_labels(*, actor: User, study: Study) -> int:
    """Ask one more judgment of each pair that the study's model is least sure of; return how many.

    Refused (``nothing-unsure``) where there is no such pair or no budget left.
    """
    require_permission(actor, "campaigns.manage", study.campaign)
    with transaction.atomic():
        # Locked: a second click waits, and then finds what the first has left of the budget.
        Plan.objects.select_for_update(no_key=True).get(pk=study.plan_id)
        preview = preview_unsure_pairs(study)
        if not preview.items:
            fix = "Raise the extra budget, or wait for more judgments."
            raise ActionRefused("nothing-unsure", f"Nothing to request: {preview.reason}.", fix)
        count = ask_one_more(actor=actor, plan=study.plan, pairs=preview.items)
        pairs = [f"{pair.topic} {pair.docno}" for pair in preview.pairs[:100]]
        data = {"judgments": count, "model": preview.model, "pairs": pairs}
        log_study_event(actor, study, "study.labels_requested", **data)
    return count
