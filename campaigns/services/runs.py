"""Submit, check, replace and withdraw runs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns import store
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, CampaignTask, Job, Run, Team, User
from campaigns.queries.collection_files import load_collection_index
from campaigns.queries.confirmations.runs import describe_withdrawal
from campaigns.queries.lists import has_released_scores, list_open_rejections
from campaigns.queries.run_checks import iter_latest_runs, list_cut_offs, load_imported_docnos
from campaigns.queries.tasks import load_judged_before
from campaigns.rules import require_permission
from campaigns.services import events, jobs, letters, matrices
from campaigns.services.decisions import check_decision
from campaigns.services.run_files import (
    SentFile,
    is_large,
    pack_sent_file,
    read_original_file,
    remove_sent_file,
)
from campaigns.services.run_form import require_answers
from campaigns.services.run_limits import check_can_submit, check_open, choose_task, require_team
from poolbench.files.faults import format_count
from poolbench.files.streams import read_bytes
from poolbench.runs.ir_metadata import MAX_HEAD, write_ir_metadata
from poolbench.runs.run_checks import CheckedRun, RunRules, check_run_file
from poolbench.runs.run_form import put_value
from poolbench.runs.run_remarks import DEEP

HEAD = 2 * MAX_HEAD
"""Bytes of a file in which its ``ir_metadata`` block is looked for, packed or not."""
FORMER_STATES = (Run.State.REPLACED, Run.State.WITHDRAWN)


def submit_run(
    *,
    actor: User,
    campaign: Campaign,
    team: Team,
    data: bytes | SentFile,
    file_name: str,
    tag: str = "",
    description: str = "",
    kind: str = Run.Kind.AUTOMATIC,
    priority: int = 1,
    replaces: Run | None = None,
    task: CampaignTask | None = None,
    answers: Mapping[str, object] | None = None,
    key: str = "",
    one_use: bool = False,
    check_here: bool = False,
) -> Run:
    """Store the original file and queue its check (job ``campaigns.check_run``). With
    ``check_here`` it is not sent to a worker: the caller runs it.

    Team members can submit until the deadline and up to the run limit, organizers for any team.
    ``answers``: to the campaign's run form. ``data``: plain text or gzip. Who sends the same again
    with the same ``key`` gets the same run; another with a key of ``one_use`` is refused.
    """
    require_team(actor, campaign, team)
    sent_file = data if isinstance(data, SentFile) else SentFile(data)
    size, digest = sent_file.size, sent_file.sha256
    task = choose_task(campaign, task, replaces)
    form = {"description": description, "kind": kind, "priority": priority}
    sent_as = digest, tag, *form.values(), replaces and replaces.pk, answers or {}, task and task.pk
    upload_key = key and make_upload_key(key, sent_as)
    if sent := find_sent_run(team, upload_key, one_use=one_use):
        return sent
    check_can_submit(actor, campaign, team, size, replaces, task)
    bytes_sent = {"size": size, "sha256": digest, "upload_key": upload_key}
    try:
        with transaction.atomic():
            run = Run.objects.create(
                **{"campaign": campaign, "team": team, "task": task} | form | bytes_sent,
                tag=tag.strip()[:60],
                answers=require_answers(campaign, sent_file.read(HEAD), answers or {}),
                file=sent_file.store(),
                file_name=file_name[:200],
                replaces=replaces,
                submitted_by=actor,
                after_release=has_released_scores(campaign, task),
            )
            events.log_event(campaign, actor, "run.submitted", run.label, run=run.pk)
            enqueue_run_check(actor, run, here=check_here)
    except IntegrityError:  # the same at the same time
        if sent := find_sent_run(team, upload_key):
            return sent
        raise
    return run


def enqueue_run_check(actor: User, run: Run, *, here: bool) -> None:
    queue = jobs.create_job if here else jobs.enqueue
    # Behind those that a page waits for: it takes a minute.
    large = {jobs.LARGE: True} if run.size > settings.POOLBENCH_PAGE_CHECK_BYTES else {}
    queue(campaign=run.campaign, kind="campaigns.check_run", actor=actor, run=run.pk, **large)


def make_upload_key(key: str, sent_as: tuple[Any, ...]) -> str:
    """Half of it tells the sender's key, half what was sent with it."""
    return "".join(store.sha256(repr(part).encode())[:32] for part in (key, sent_as))


def find_sent_run(team: Team, upload_key: str, *, one_use: bool = False) -> Run | None:
    """The run that was sent with the key before. With ``one_use`` the key may not have been used
    for anything else; otherwise, as on a page that was left open, that is another submission.
    """
    if not upload_key:
        return None
    sent = list(team.runs.filter(upload_key__startswith=upload_key[:32]).order_by("pk"))
    same = [run for run in sent if run.upload_key == upload_key]
    if sent and not same and one_use:
        message = _("This key was sent with another run, %(run)s.") % {"run": sent[0].label}
        raise ActionRefused("key-used", message, _("Use a new key for each run."))
    return same[0] if same else None


def withdraw_run(*, actor: User, run: Run, decision: Decision | None = None) -> Run:
    """Withdraw an accepted run before the deadline; it stays on record.

    If its scores are released, it also stays in evaluations (``RunQuerySet.scored``).
    """
    campaign = run.campaign
    require_team(actor, campaign, run.team)
    check_open(actor, campaign, run.team, run.task)
    with transaction.atomic():
        # Locked, so that a release comes before, or sees the withdrawal.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        accepted = Run.objects.filter(pk=run.pk, state=Run.State.ACCEPTED)
        if not accepted.update(state=Run.State.WITHDRAWN, withdrawn_at=timezone.now()):
            raise ActionRefused("not-accepted", _("Only an accepted run can be withdrawn."))
        confirmed = check_decision(partial(describe_withdrawal, run), decision)
        data = {"run": run.pk, "after_release": run.is_released, **confirmed}
        events.log_event(campaign, actor, "run.withdrawn", run.label, **data)
    run.refresh_from_db()
    return run


def submit_and_check_run(*, data: bytes | SentFile, **fields: Any) -> Run:
    """``submit_run``, and check a small run before this returns; a larger one is for a worker."""
    sent_file = data if isinstance(data, SentFile) else SentFile(data)
    small = not is_large(sent_file)
    run = submit_run(data=sent_file, **fields, check_here=small)
    job = latest_check_job(run) if small else None
    if job is not None:
        jobs.run_here(job)
        run.refresh_from_db()
    return run


def requeue_run_check(*, actor: User, run: Run) -> None:
    """Queue the check of a run again if the previous check failed."""
    require_team(actor, run.campaign, run.team)
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=run.team_id)
        job = latest_check_job(run)
        if run.state != Run.State.RECEIVED or job is None or job.state != Job.State.FAILED:
            raise ActionRefused("being-checked", _("The check of this run did not fail."))
        jobs.enqueue(campaign=run.campaign, kind=job.kind, actor=actor, **job.args)


def latest_check_job(run: Run) -> Job | None:
    jobs = Job.objects.filter(campaign=run.campaign_id, kind="campaigns.check_run")
    return jobs.filter(args__run=run.pk).first()


def build_file_with_metadata(run: Run) -> bytes:
    """The file, unpacked, with an ``ir_metadata`` block: that of the file, the run tag, and the
    answers of the team.
    """
    if not run.has_metadata:
        message = _("The run has no metadata.")
        raise ActionRefused("no-metadata", message, _("Download the file as it was submitted."))
    text = read_bytes(read_original_file(run), max_bytes=settings.POOLBENCH_MAX_UPLOAD_BYTES)
    metadata = run.ir_metadata | {"tag": run.tag}
    for name, answer in run.answers.items():
        put_value(metadata, name, answer)
    return write_ir_metadata(text, metadata)


def perform_run_check(job: Job) -> None:
    """Handler of ``campaigns.check_run``: the run becomes accepted or rejected."""
    run = Run.objects.select_related("campaign", "team", "task", "replaces").get(pk=job.args["run"])
    if run.state != Run.State.RECEIVED:
        jobs.finish_job(job)
        return
    jobs.report_progress(job, 0, 2)
    sent_name = run.file
    try:
        path = store.find_blob_path(sent_name)
        result = check_run_file(path, build_run_rules(run), file=run.file_name)
        # After the check: the library that packs takes 30 MB.
        run.file = pack_sent_file(sent_name)
    except store.MissingFileError:
        raise
    except FileNotFoundError as error:  # the machine's copy went between the two
        raise store.MissingFileError(f"{sent_name} is not here any more") from error
    jobs.report_progress(job, 1, 2)
    matrix = matrices.store_run_matrix(run.campaign, result.table) if result.table else ""
    finish_run_check(job, run, result, matrix)
    transaction.on_commit(partial(remove_sent_file, sent_name), robust=True)


def finish_run_check(job: Job, run: Run, result: CheckedRun, matrix: str) -> None:
    """Write the outcome, the end of the job and the events in one transaction.

    A database constraint keeps tags unique: of two runs with the same tag that are checked at
    the same time, the second is rejected with E08.
    """
    fields = build_run_outcome(run, result)
    if not result.accepted:
        reject_run(job, run, fields)
        return
    try:
        with transaction.atomic():
            faults = find_late_faults(run)
            if not faults:
                accept_run(job, run, fields, matrix)
    except IntegrityError:
        message = f"The run tag {fields['tag']} was taken by another run during the check."
        faults = [("E08", message, "Choose a different tag and use it on every line.")]
    if faults:
        for fault in faults:
            result.report.add(*fault)
        reject_run(job, run, build_run_outcome(run, result))


def accept_run(job: Job, run: Run, fields: dict[str, Any], matrix: str) -> None:
    # If it has been withdrawn since the check, it stays so.
    former = Run.objects.filter(pk=run.replaces_id or 0, state=Run.State.ACCEPTED)
    if run.replaces is not None and former.update(state=Run.State.REPLACED):
        pks = {"run": run.replaces.pk, "replaced_by": run.pk}
        events.log_event(run.campaign, run.submitted_by, "run.replaced", run.replaces.label, **pks)
    write_run_outcome(job, run, Run.State.ACCEPTED, fields | {"matrix": matrix})


def reject_run(job: Job, run: Run, fields: dict[str, Any]) -> None:
    with transaction.atomic():
        write_run_outcome(job, run, Run.State.REJECTED, fields)


def write_run_outcome(job: Job, run: Run, state: str, fields: dict[str, Any]) -> None:
    """Write the outcome by compare-and-swap: a second delivery of the job is harmless."""
    unchecked = Run.objects.filter(pk=run.pk, state=Run.State.RECEIVED)
    if unchecked.update(state=state, checked_at=timezone.now(), **fields):
        subject = fields["tag"] or run.file_name
        events.log_event(run.campaign, None, f"run.{state}", subject, run=run.pk)
        letters.queue_run_letters(run, state, fields)
    jobs.finish_job(job, run=run.pk, state=state, url=run.get_absolute_url())


def build_run_outcome(run: Run, result: CheckedRun) -> dict[str, Any]:
    """The fields of ``run`` that the check fills in."""
    return {
        "file": run.file,
        "tag": (run.tag or result.tag)[:60],
        "lines": result.lines,
        "normalised_hash": result.digest,
        "report": result.as_report(),
        "ir_metadata": result.metadata,
    }


def find_late_faults(run: Run) -> list[tuple[str, str, str]]:
    """Faults from changes since the submission: ``(code, message, fix)`` each."""
    if run.replaces_id is not None:
        # A release of scores comes before, and the run stays, or after.
        Campaign.objects.select_for_update(no_key=True).get(pk=run.campaign_id)
    # Locked until the transaction ends, so that the runs of a team are decided in turn.
    Team.objects.select_for_update().get(pk=run.team_id)
    if run.replaces is not None:
        run.replaces.refresh_from_db()
        label = run.replaces.label
        if run.replaces.is_released:
            message = f"The scores of the run to be replaced, {label}, have been released."
            return [("E19", message, "Submit the file as a new run.")]
        if run.replaces.state != Run.State.ACCEPTED:
            message = f"The run to be replaced, {label}, is no longer accepted."
            return [("E19", message, "Submit the file as a new run.")]
        return []
    limit = run.campaign.max_runs_per_team if run.task is None else run.task.run_limit
    if limit is not None and run.team.runs.scored().filter(task=run.task).count() >= limit:
        message = f"Run limit reached: the team already had {limit} accepted runs."
        return [("E18", message, "Replace or withdraw a run whose scores are not released.")]
    return []


def build_run_rules(run: Run) -> RunRules:
    """The campaign's requirements on ``run``."""
    campaign = run.campaign
    topics = list(campaign.topics.values_list("number", "withheld"))
    known = [number for number, withheld in topics if not withheld]
    earlier = run.team.runs.accepted().filter(task=run.task).exclude(pk=run.replaces_id or 0)
    return RunRules(
        topics=frozenset(known if run.task is None else run.task.list_topic_numbers()),
        withheld_topics=frozenset(number for number, withheld in topics if withheld),
        docnos=load_collection_index(campaign) or load_imported_docnos(campaign),
        declared_tag=run.tag or None,
        used_tags=list_used_tags(run),
        max_per_topic=campaign.max_docs_per_topic,
        require_all_topics=campaign.require_all_topics,
        max_bytes=settings.POOLBENCH_MAX_UPLOAD_BYTES,
        earlier_hashes=dict(earlier.values_list("normalised_hash", "tag")),
        judged=load_judged_before(run.task),
        refuse_judged=run.task is not None and run.task.refuse_judged,
        earlier_runs=(matrices.load_run_top(other, DEEP) for other in iter_latest_runs(run)),
        cut_offs=list_cut_offs(campaign),
    )


def list_used_tags(run: Run) -> frozenset[str]:
    """Tags of accepted runs, except the one to be replaced, of other teams' former runs, and of
    withdrawn runs that stay in the scores.
    """
    accepted = run.campaign.runs.scored().exclude(pk=run.replaces_id or 0)
    former = run.campaign.runs.filter(state__in=FORMER_STATES).exclude(team=run.team_id)
    return frozenset(accepted.values_list("tag", flat=True)) | frozenset(
        former.values_list("tag", flat=True)
    )


def dismiss_rejections(*, actor: User, campaign: Campaign) -> int:
    """Dismiss the rejected runs of the actor's teams; return the number.

    They stay on record and in the list of runs; only the reminder ends. The log is what says so.
    """
    require_permission(actor, "campaigns.see_runs", campaign)
    teams = campaign.teams.filter(members__user=actor).values_list("pk", flat=True)
    runs = list_open_rejections(list(teams))
    if runs:
        with transaction.atomic():
            count, pks = format_count(len(runs), "run"), [run.pk for run in runs]
            events.log_event(campaign, actor, "run.rejections_dismissed", count, runs=pks)
    return len(runs)
