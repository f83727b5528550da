"""The demo's second campaign: judged by a crowd through the fake provider, from gold to the paid
batch and qrels, with comparisons of two runs by two assessors. It leaves the first as it is.
"""

import random
from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from campaigns.models import Campaign, Role, User
from campaigns.services import people
from campaigns.services.jobs import run_jobs_inline
from crowd.models import Study, WorkUnit
from crowd.queries.keys import unseal_external
from crowd.queries.studies import load_study_figures
from crowd.services import fake_platform, payment_batches, studies, units
from crowd.services.doorway import admit_arrival
from crowd.services.exclusions import set_work_aside
from crowd.services.gold import add_gold, add_practice
from crowd.services.unit_answers import UnitAnswer
from evaluation.services.scoring import score_campaign
from judging.models import Audience, Judgment, Slot
from judging.queries.training import unanswered_pairs
from judging.services.qrels import freeze_qrels
from poolbench.crowd.consent import DEFAULT_CONSENT
from poolbench.crowd.options import StudyOptions
from poolbench.crowd.providers.base import Arrival
from poolbench.judging.training_file import TrainingRow
from poolbench.pooling.spec import depth_spec
from poolbench.replay.manifest import ReplayManifest
from pooling.models import Pool
from pooling.services.freeze import freeze_pool
from preferences.models import ComparisonPlan
from preferences.services.comparison_plans import ComparisonOptions, create_comparison_plan
from preferences.services.comparisons import (
    DisplayedComparison,
    claim_comparison,
    submit_preference,
)
from replay.demo.build import ASSESSORS, load_demo_judgments
from replay.services import (
    Write,
    create_replayed_campaign,
    get_or_create_account,
    submit_replayed_runs,
    time_step,
)

WORKERS = {"olga": 0.9, "noor": 0.85, "piet": 0.8, "spam": 0.0, "yuki": 0.9, "zoe": 0.75}
"""The share of answers that follow the assessors; the others are 3, of the spammer all."""
SPAMMER, SPAM = "spam", 3
JUDGES = ("edsger", "grace")
RUNS, DEPTH = ("okapi-verbose", "fusion-rrf", "porter-plain"), 1
DESCRIPTION = """\
The questions and documents of the first campaign, with three of its runs. Their first documents
were judged by six simulated crowd workers through the fake provider: one presses the same key for
every document, and is set aside.
"""
OPTIONS = StudyOptions(
    title="First documents", provider="fake", contact="crowd@example.org",
    summary="Read a short text about the Python language, and say how well it answers a question.",
    instructions="Read the question first, then the text. A complete answer gets the top grade.",
    unit_size=15, gold_per_unit=4, units_per_worker=3, practice_pass=2, max_units=30,
    max_screened=10, pay_per_unit=Decimal("2.40"), screen_out_pay=Decimal("1.00"),
    hourly_minimum=Decimal("12.00"),
)  # fmt: skip
Pair = tuple[str, str]


def play_crowd(actor: User, manifest: ReplayManifest, write: Write) -> Campaign:
    """The campaign from the same topics, documents and some runs, with a printed line."""
    runs = tuple(run for run in manifest.runs if run.tag in RUNS)
    small = replace(
        manifest, slug="stdlib-crowd", title="The same questions, judged by a crowd",
        description=DESCRIPTION, runs=runs, qrels=(),
    )  # fmt: skip
    with run_jobs_inline(), time_step(write, "crowd") as results:
        quiet = partial(time_step, lambda _: None)
        campaign = create_replayed_campaign(actor, small, quiet)
        submitted = [run for _, run in submit_replayed_runs(actor, campaign, small, quiet)]
        spec = depth_spec(DEPTH)
        pool = freeze_pool(actor=actor, campaign=campaign, spec=spec, runs=submitted)
        with transaction.atomic():  # one commit, not one for each answer
            study = play_study(actor, pool)
            plan = play_comparisons(actor, campaign)
        figures = load_study_figures([study])[0]
        results.append(f"{figures.judged} judgments by {figures.workers} workers")
        results.append(f"{figures.paid:.2f} {study.currency} paid")
        policy = f"crowd:{study.aggregation}"
        version = freeze_qrels(actor=actor, campaign=campaign, policy=policy)
        score_campaign(actor=actor, campaign=campaign, qrels=version)
        results.append(f"{plan.comparisons.count()} comparisons by {' and '.join(JUDGES)}")
    return campaign


def play_study(actor: User, pool: Pool) -> Study:
    """Each document of ``pool`` is judged by two workers; the work of a spammer is set aside."""
    grades: dict[Pair, list[int]] = defaultdict(list)
    for name in ASSESSORS:
        for pair, grade in load_demo_judgments(name).items():
            grades[pair].append(grade)
    add_known_pairs(actor, pool, grades)
    until = timezone.now().date() + timedelta(days=180)
    options = replace(OPTIONS, retention_until=until)
    study = studies.create_study(
        actor=actor, pool=pool, options=options, redundancy=2, consent=DEFAULT_CONSENT
    )
    study = studies.start_study(actor=actor, study=study)
    generator = random.Random(7)  # noqa: S311
    names = [*WORKERS, *2 * [name for name in WORKERS if name != SPAMMER]]
    begun = timezone.now() - timedelta(minutes=10 * len(names))
    for number, name in enumerate(names):
        if not study.plan.slots.filter(state=Slot.State.OPEN).exists():
            break
        unit = play_unit(actor, study, name, grades, generator)
        finish_unit(study, unit, name, begun + timedelta(minutes=10 * number), generator)
        if name == SPAMMER:
            reason = "Too fast, and the same grade for every document."
            set_work_aside(actor=actor, worker=unit.worker, reason=reason)
    study = studies.stop_study(actor=actor, study=study)
    batch = payment_batches.make_batch(actor=actor, study=study, reward=study.pay_per_unit)
    payment_batches.mark_batch_paid(actor=actor, batch=batch)
    return study


def add_known_pairs(actor: User, pool: Pool, grades: dict[Pair, list[int]]) -> None:
    """Gold and practice: pairs outside of the pool that all three assessors gave the same grade, as
    many of each.
    """
    campaign = pool.campaign
    labels = dict(campaign.grades.values_list("value", "label"))
    known = set(campaign.documents.values_list("docno", flat=True))
    pooled = set(pool.items.values_list("topic__number", "docno"))
    outside = sorted(pair for pair in grades.keys() - pooled if pair[1] in known)
    gold, practice = list[TrainingRow](), list[TrainingRow]()
    for grade, label in labels.items():
        agreed = [pair for pair in outside if grades[pair] == [grade] * 3]
        random.Random(grade).shuffle(agreed)  # noqa: S311
        why = f"{label}: all three assessors say so."
        rows = [TrainingRow(*pair, grade, why) for pair in agreed[:5]]
        practice, gold = practice + rows[:1], gold + rows[1:]
    add_practice(actor=actor, campaign=campaign, rows=practice)
    add_gold(actor=actor, campaign=campaign, rows=gold)


def play_unit(
    actor: User, study: Study, name: str, grades: dict[Pair, list[int]], generator: random.Random
) -> WorkUnit:
    """From the link to the last answer."""
    ((_, uid, _),) = fake_platform.accept_tasks(actor=actor, study=study, worker=name)
    unit = admit_arrival(study=study, arrival=Arrival(name, uid))
    unit = units.consent_to_study(unit=unit, version=1)
    for pair in list(unanswered_pairs(unit.worker.user, study.campaign, Audience.CROWD)):
        units.answer_practice(unit=unit, pair=pair, grade=pair.grade, client_uuid=uuid4())
    unit = units.begin_unit(unit=unit)
    for slot in Slot.objects.filter(unit=unit).select_related("topic").order_by("unit_position"):
        known = grades.get((slot.topic.number, slot.docno), [0])
        is_right = generator.random() < WORKERS[name]
        grade = sorted(known)[len(known) // 2] if is_right else SPAM
        units.answer_unit(unit=unit, answer=UnitAnswer(slot.token, uuid4(), grade))
    return unit


def finish_unit(
    study: Study, unit: WorkUnit, name: str, begun: datetime, generator: random.Random
) -> None:
    """Complete the unit as if it had been worked on from ``begun``, and report it to the platform.

    A program answers in no time, which says nothing of pay and pace.
    """
    moment = begun + timedelta(seconds=40)
    rows = list(Judgment.objects.filter(unit=unit).order_by("pk"))
    for row in rows:
        row.served_at = moment
        moment += timedelta(seconds=1 if name == SPAMMER else generator.uniform(12, 35))
        row.judged_at = moment
    Judgment.objects.bulk_update(rows, ["served_at", "judged_at"])
    own = WorkUnit.objects.filter(pk=unit.pk)
    started = next(row.served_at for row in rows if row.slot_id)
    consented = begun + timedelta(seconds=40)
    own.update(offered_at=begun, consented_at=consented, started_at=started)
    done = units.complete_unit(unit=own.select_related("worker__user", "plan__study").get())
    own.update(ended_at=moment)
    uid = unseal_external(study.campaign, done.external_id)
    fake_platform.record_submission(study=study, uid=uid, code="done", receipt=done.receipt)


def play_comparisons(actor: User, campaign: Campaign) -> ComparisonPlan:
    """The first ten documents of the two best runs, compared by the assessors who judge least
    alike; each prefers the list with more relevant documents of their own.
    """
    first, second = (campaign.runs.get(tag=tag) for tag in ("okapi-verbose", "fusion-rrf"))
    options = ComparisonOptions(
        ComparisonPlan.Kind.RANKINGS, "Is the winner better to look at?",
        question="Which list would you rather have?", run_a=first, run_b=second, judges=2,
    )  # fmt: skip
    plan = create_comparison_plan(actor=actor, campaign=campaign, options=options)
    for name in JUDGES:
        judge, grades = get_or_create_account(name), load_demo_judgments(name)
        people.add_member(actor=actor, campaign=campaign, user=judge, role=Role.ASSESSOR)
        while slot := claim_comparison(actor=judge, campaign=campaign, plan=plan):
            comparison = slot.comparison
            topic = comparison.topic.number
            a, b = (
                sum(grades.get((topic, docno), 0) > 0 for docno in comparison.content[each])
                for each in "ab"
            )
            side = "tie" if a == b else "left" if (a > b) != slot.swapped else "right"
            submit_preference(
                display=DisplayedComparison(comparison, slot.swapped), side=side, actor=judge,
                client_uuid=uuid4(), token=slot.token,
            )  # fmt: skip
    return plan
