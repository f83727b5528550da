"""A study for crowd workers whose documents, topics and grades have names that no page may tell."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from campaigns.models import Campaign, Document, Topic
from crowd.models import ConsentText, GoldPair, Study, WorkUnit
from crowd.services.doorway import admit_arrival, make_unit_token
from crowd.services.keys import make_fake_link
from judging.models import Audience, Plan, Slot, TrainingPair
from poolbench.crowd.providers.base import Arrival
from pooling.models import Pool
from tests.world.files import make_pool

TOPIC = "topicno-7731"
QUESTION = "How do you keep red apples fresh over a long winter?"
DETAILS = "They want to know how to store them. A recipe is not enough."
PLAIN = {0: ("Not relevant", "about something else"), 1: ("Touches it", "no real help"),
         2: ("Helps", "part of the answer"), 3: ("Answers it", "you could stop here")}  # fmt: skip


def make_material(campaign: Campaign) -> Pool:
    """Grades in plain words, a pool of twelve texts, four gold ones."""
    for value, (label, meaning) in PLAIN.items():
        campaign.grades.filter(value=value).update(label=label, meaning=meaning)
    topic = Topic.objects.create(
        campaign=campaign, number=TOPIC, title=QUESTION, description=DETAILS
    )
    pool = make_pool(campaign, {TOPIC: make_documents(campaign, "pooldoc", 12)})
    for at, docno in enumerate(make_documents(campaign, "golddoc", 4)):
        GoldPair.objects.create(
            campaign=campaign, topic=topic, docno=docno, grade=3 * (at % 2),
            explanation="goldwhy", created_by=campaign.created_by,
        )  # fmt: skip
    return pool


def make_study(campaign: Campaign, **more: Any) -> Study:
    """Six texts in a unit: four of the pool, two gold."""
    pool = make_material(campaign)
    plan = Plan.objects.create(
        campaign=campaign, pool=pool, overlap=2, audience=Audience.CROWD,
        created_by=campaign.created_by,
    )  # fmt: skip
    Slot.objects.bulk_create(
        Slot(plan=plan, item=item, topic=item.topic, k=k, position=item.position)
        for item in pool.items.select_related("topic")
        for k in range(plan.overlap)
    )
    made: dict[str, Any] = {
        "title": "Apples in winter", "provider": "fake", "state": Study.State.RUNNING,
        "summary": "Does a text answer a question? You read and you say.",
        "instructions": "Read the question first. Then read the text.",
        "contact": "apples@example.org", "unit_size": 4, "gold_per_unit": 2, "stop_after": 100,
        "currency": "EUR", "pay_per_unit": "3.00", "screen_out_pay": "0.50",
        "hourly_minimum": "12.00", "retention_until": timezone.now().date() + timedelta(days=90),
    }  # fmt: skip
    study = Study.objects.create(
        plan=plan, campaign=campaign, created_by=campaign.created_by, **(made | more)
    )
    ConsentText.objects.create(
        study=study, version=1, text="We ask you to read.", created_by=campaign.created_by
    )
    return study


def make_documents(campaign: Campaign, name: str, count: int) -> list[str]:
    """Texts of equal length, so that nothing but their words tells them apart."""
    docnos = [f"{name}-{n:03}" for n in range(count)]
    Document.objects.bulk_create(
        Document(campaign=campaign, docno=docno, title="Apples", body=make_text(n), sha256=docno)
        for n, docno in enumerate(docnos)
    )
    return docnos


def make_text(number: int) -> str:
    line = f"Text {number:03} says that apples like a cool and dark place. "
    return "\n\n".join([line * 4] * 12)


def make_practice(study: Study, grades: list[int], needed: int) -> list[TrainingPair]:
    """Practice texts with these right grades, of which ``needed`` pass."""
    Study.objects.filter(pk=study.pk).update(practice_pass=needed)
    topic = study.campaign.topics.get(number=TOPIC)
    docnos = make_documents(study.campaign, "practicedoc", len(grades))
    return [
        TrainingPair.objects.create(
            campaign=study.campaign, audience=Audience.CROWD, topic=topic, docno=docno, grade=grade,
            explanation="It names the *place* to keep them.", position=at,
        )
        for at, (docno, grade) in enumerate(zip(docnos, grades, strict=True))
    ]  # fmt: skip


def make_unit(study: Study, worker: str = "p1", session: str = "s1") -> WorkUnit:
    return admit_arrival(study=study, arrival=Arrival(worker, session))


def unit_path(unit: WorkUnit) -> str:
    return f"/w/unit/{make_unit_token(unit)}/"


def make_door_link(study: Study, *, preview: bool = False, session: str = "s1") -> str:
    expires = timezone.now() + timedelta(hours=1)
    return make_fake_link(study=study, worker="p1", unit=session, expires=expires, preview=preview)
