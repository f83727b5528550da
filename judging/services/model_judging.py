"""Models judge the pairs of a pool, a request each; what was answered is not asked again.

Each answer is stored as it comes, by the hash of its request. So work that ends in the middle,
by whatever cause, goes on with the rest when it is started again.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, User
from campaigns.rules import require_permission
from campaigns.services import events, jobs
from campaigns.services.registration import prepare_documents
from judging.models import AutomaticAssessor, Judgment, ModelAnswer, Purpose
from judging.queries.models import (
    ModelRequest,
    Pair,
    find_pool_to_judge,
    iter_requests,
    list_pairs_to_judge,
    list_sampled_examples,
    select_trial,
    sum_answers,
)
from judging.services.bulk import ImportRow, append_judgments
from judging.services.judgment_log import lock_judging, run_with_retries
from judging.services.model_endpoint import STOPPED, ModelEndpoint, RequestGate
from judging.services.prompt_cards import FIX_SAMPLED, explain_sampled
from poolbench.judging.prompts import read_grade

KIND = "judging.model"
TRIAL = 20
"""Pairs of a trial, after which costs and hours are known."""
MOST_AT_ONCE, MOST_PER_MINUTE = 32, 10_000
MOST_TEXT = 10_000
"""Characters of an answer that are kept."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ModelWish:
    """How to ask a model: where, so many requests at once and per minute, and whether only the
    ``trial``. ``prices`` of 1,000 tokens of prompts, and of answers. ``texts_may_leave``: the
    organizer says that the texts may be sent there.
    """

    address: str
    at_once: int = 4
    per_minute: int = 60
    trial: bool = True
    prices: tuple[float, float] | None = None
    texts_may_leave: bool = False


def request_model_judgments(
    *, actor: User, campaign: Campaign, automatic: AutomaticAssessor, wish: ModelWish
) -> Job:
    """Queue the requests, after the checks that they can be sent; the log records that texts may
    leave the installation.
    """
    check_wish(actor, campaign, automatic, wish)
    args: dict[str, Any] = {
        "automatic": automatic.pk, "address": wish.address, "at_once": wish.at_once,
        "per_minute": wish.per_minute, "trial": wish.trial,
        "prices": list(wish.prices) if wish.prices else None,
    }  # fmt: skip
    with transaction.atomic():
        log_consent(actor, campaign, automatic, wish)
        states = (Job.State.QUEUED, Job.State.RUNNING)
        for job in campaign.jobs.filter(kind=KIND, state__in=states):
            if job.args["automatic"] == automatic.pk and job.args != args:
                fix = "Wait until it is done."
                raise ActionRefused("model-busy", f"{automatic.name} is being asked already.", fix)
        return jobs.enqueue_once(campaign=campaign, kind=KIND, actor=actor, **args)


def check_wish(
    actor: User, campaign: Campaign, automatic: AutomaticAssessor, wish: ModelWish
) -> None:
    """Raise ``ActionRefused`` for a wish that cannot be met."""
    require_permission(actor, "campaigns.manage", campaign)
    if automatic.card is None or automatic.campaign_id != campaign.pk:
        fix = "Add one with a prompt card."
        raise ActionRefused("no-card", f"{automatic.name} has no prompt card.", fix)
    check_address(wish.address)
    if not wish.texts_may_leave:
        message = "Topics and documents would be sent to the model's address."
        raise ActionRefused("texts-stay", message, "Confirm that they may leave this installation.")
    if not (1 <= wish.at_once <= MOST_AT_ONCE and 1 <= wish.per_minute <= MOST_PER_MINUTE):
        fix = f"1 to {MOST_AT_ONCE} at once, 1 to {MOST_PER_MINUTE:,} per minute."
        raise ActionRefused("bad-pace", "These requests are beyond the limits.", fix)
    if find_pool_to_judge(campaign) is None:
        raise ActionRefused("no-pool", "There are no pairs to judge.", "Freeze a pool.")
    if sampled := list_sampled_examples(automatic.card):
        raise ActionRefused("example-sampled", explain_sampled(sampled), FIX_SAMPLED)


def check_address(address: str) -> None:
    """Only the operator says where requests go: another could be one of its own network."""
    allowed = settings.POOLBENCH_MODEL_ADDRESSES
    if not allowed:
        fix = "The operator sets POOLBENCH_MODEL_ADDRESSES."
        raise ActionRefused("models-off", "No address of a model is allowed.", fix)
    if address not in allowed or not address.startswith(("http://", "https://")):
        fix = f"Use one of: {', '.join(allowed)}."
        raise ActionRefused("bad-address", "The operator has not allowed this address.", fix)


def log_consent(
    actor: User, campaign: Campaign, automatic: AutomaticAssessor, wish: ModelWish
) -> None:
    events.log_event(
        campaign=campaign, actor=actor, code="automatic.texts_given", subject=automatic.name,
        address=wish.address, model=automatic.model,
    )  # fmt: skip


def perform_model_judging(job: Job) -> None:
    """The handler of ``judging.model``: a job delivered twice asks for nothing twice."""
    actor = job.created_by
    if actor is None:
        raise ActionRefused("no-actor", "The job has no requesting user.")
    names = ("address", "at_once", "per_minute", "trial")
    wish = ModelWish(**{name: job.args[name] for name in names}, texts_may_leave=True)
    automatic = job.campaign.automatic_assessors.get(pk=job.args["automatic"])
    judge_by_model(
        actor=actor, campaign=job.campaign, automatic=automatic, wish=wish,
        progress=partial(jobs.report_progress, job),
    )  # fmt: skip
    jobs.finish_job_once(job)


def judge_by_model(
    *,
    actor: User,
    campaign: Campaign,
    automatic: AutomaticAssessor,
    wish: ModelWish,
    progress: Progress = lambda _done, _total: None,
) -> None:
    """Ask the model about all pairs of the pool, or those of the trial, and append its judgments.

    A pair without a readable grade after two requests has an answer and no judgment. What was
    answered is written even if a later request is refused; then ``ActionRefused`` is raised.
    """
    check_wish(actor, campaign, automatic, wish)
    pool, card = find_pool_to_judge(campaign), automatic.card
    if pool is None or card is None:
        raise AssertionError("check_wish looks for both")
    pairs: Sequence[Pair] = list_pairs_to_judge(pool, card)
    if wish.trial:
        pairs = select_trial(pairs, TRIAL)
    endpoint = ModelEndpoint(wish.address, automatic.model, RequestGate(wish.per_minute))
    scale = frozenset(value for value, _label, _meaning in card.content.scale)
    done, before = 0, sum_answers(automatic).requests
    with open_workers(endpoint.gate, wish.at_once) as workers:
        for requests in iter_requests(automatic, pairs):
            ask = partial(ask_for_grade, endpoint, scale, automatic)
            refusal = ask_missing(automatic, requests, partial(workers.submit, ask))
            write_judgments(automatic, requests)
            if refusal is not None:
                raise refusal
            done += len(requests)
            progress(done, len(pairs))
    events.log_event(
        campaign=campaign, actor=actor, code="automatic.model_asked", subject=automatic.name,
        requests=sum_answers(automatic).requests - before, trial=wish.trial, card=card.sha256,
    )  # fmt: skip


@contextmanager
def open_workers(gate: RequestGate, number: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that send requests; at the end of the block those that wait give up."""
    workers = ThreadPoolExecutor(number)
    try:
        yield workers
    finally:
        gate.stopped.set()
        workers.shutdown(cancel_futures=True)


def ask_missing(
    automatic: AutomaticAssessor,
    requests: Sequence[ModelRequest],
    ask: Callable[[ModelRequest], Future[ModelAnswer]],
) -> ActionRefused | None:
    """Ask what has no answer yet and store each as it comes; return the first refusal."""
    missing = {request.key: request for request in requests}
    for key in automatic.answers.filter(request_hash__in=missing).values_list("request_hash"):
        del missing[key[0]]
    futures = [ask(request) for request in missing.values()]
    refusal = None
    try:
        for future in as_completed(futures):
            if future.cancelled():
                continue
            try:
                answer = future.result()
            except ActionRefused as refused:
                # The others were sent, and paid: their answers are waited for.
                if refusal is None or refusal.code == STOPPED:
                    refusal = refused
                cancel_all(futures)
                continue
            ModelAnswer.objects.bulk_create([answer], ignore_conflicts=True)
    finally:
        cancel_all(futures)
    return refusal


def cancel_all(futures: Sequence[Future[ModelAnswer]]) -> None:
    """Those that have not begun; as they are dropped, no error is raised for them."""
    for future in futures:
        future.cancel()


def ask_for_grade(
    endpoint: ModelEndpoint,
    scale: frozenset[int],
    automatic: AutomaticAssessor,
    request: ModelRequest,
) -> ModelAnswer:
    """The answer to a request, which is sent once more if no grade can be read from the first."""
    replies = [endpoint.ask(request.prompt)]
    if read_grade(replies[0].text, scale) is None:
        replies.append(endpoint.ask(request.prompt))
    return ModelAnswer(
        automatic=automatic,
        topic=request.topic,
        docno=request.docno,
        request_hash=request.key,
        grade=read_grade(replies[-1].text, scale),
        text=clean_text("\n".join(reply.text for reply in replies))[:MOST_TEXT],
        requests=len(replies),
        prompt_tokens=sum(reply.prompt_tokens for reply in replies),
        answer_tokens=sum(reply.answer_tokens for reply in replies),
        seconds=sum(reply.seconds for reply in replies),
        instructions=clean_text(request.instructions)[:200],
    )


def clean_text(text: str) -> str:
    """Without what a database refuses: NUL, and halves of characters."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def write_judgments(automatic: AutomaticAssessor, requests: Sequence[ModelRequest]) -> None:
    """Append the judgments of ``requests`` that have a grade."""
    campaign = automatic.campaign
    answers = automatic.answers.filter(request_hash__in=[request.key for request in requests])
    grades = dict(answers.exclude(grade=None).values_list("request_hash", "grade"))
    rows = [
        ImportRow(request.topic.pk, request.docno, Judgment.Kind.GRADE, grades[request.key])
        for request in requests
        if request.key in grades
    ]
    with prepare_documents(campaign, (row.docno for row in rows)) as add_documents:

        def write() -> None:
            add_documents()
            lock_judging(campaign)
            append_judgments(
                campaign,
                automatic.user,
                rows,
                purpose=Purpose.AUTOMATIC,
                source=Judgment.Source.API,
            )

        run_with_retries(write)
