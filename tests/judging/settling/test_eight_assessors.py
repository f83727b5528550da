"""Eight people judge the same passages, disagree, are adjudicated, and qrels come of it.

The grades are the published ones (Parry et al., SIGIR 2025, agreement round), given through
the services that the screens use; the adjudicator gives NIST's grade. What is expected is
worked out from the files alone. With POOLBENCH_TEST_EXAMPLES=all they judge all 188
passages of three topics, otherwise the first of one.
"""

from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from django.utils import timezone

from campaigns import store
from campaigns.models import Campaign, Document, Role, Topic, User
from campaigns.services.campaigns import create_campaign
from judging.models import Judgment, Plan, Qrels, Slot
from judging.queries.adjudication import list_disagreements, list_rounds
from judging.services.adjudication import list_pairs_to_adjudicate, open_round
from judging.services.judgments import claim_ahead
from judging.services.leases import MAX_LEASES
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels, preview_policies, verify_qrels
from poolbench.files.streams import read_bytes
from poolbench.runs.qrels import read_qrels
from tests.examples import ALL
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment
from tests.world.people import SCALE, joined

Grades = dict[tuple[str, str], int]
NAMES = [f"assessor-{n}" for n in range(1, 9)]
TOPICS, PASSAGES = (None, 188) if ALL else ({"1037798"}, 5)


def grades_in(path: Path) -> Grades:
    table = read_qrels(read_bytes(str(path), file=path.name), file=path.name)
    rows = zip(table.topics, map(table.rows, range(len(table.topics))), strict=True)
    return {
        (topic, table.docnos[at]): int(table.grades[at])
        for topic, span in rows
        if TOPICS is None or topic in TOPICS
        for at in range(span.start, span.stop)
    }


@pytest.fixture
def published(data_dir: Path) -> dict[str, Grades]:
    folder = data_dir / "dl19-eight-assessors" / "agreement-round"
    found = {name: grades_in(folder / f"{name}-qrels.txt") for name in NAMES}
    first = list(found["assessor-1"])[:PASSAGES]
    return {name: {pair: grades[pair] for pair in first} for name, grades in found.items()}


@pytest.fixture
def nist(data_dir: Path, published: dict[str, Grades]) -> Grades:
    found = grades_in(next((data_dir / "trec-dl19-passage").glob("qrels*")))
    return {pair: found[pair] for pair in published["assessor-1"]}


@pytest.fixture
def judged(organizer: User, published: dict[str, Grades]) -> Campaign:
    """All judgments given, by claiming and judging in turn."""
    campaign = create_campaign(actor=organizer, title="Eight", slug="eight", scale=SCALE)
    pairs: dict[str, list[str]] = {}
    for topic, docno in published["assessor-1"]:
        pairs.setdefault(topic, []).append(docno)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=number, title=number, position=at)
        for at, number in enumerate(pairs)
    )
    docnos = {docno for listed in pairs.values() for docno in listed}
    Document.objects.bulk_create(Document(campaign=campaign, docno=d, body=d) for d in docnos)
    people = [joined(campaign, name, Role.ASSESSOR) for name in NAMES]
    create_plan(
        actor=organizer,
        pool=make_pool(campaign, pairs),
        overlap=8,
        assessors=dict.fromkeys(pairs, people),
    )
    for user in people:
        work_through(user, campaign, published[user.username], Plan.Kind.JUDGE)
    return campaign


def work_through(user: User, campaign: Campaign, grades: Grades, kind: str) -> int:
    """Claim ahead and judge until nothing is left, as the screen does."""
    given, wanted = 0, {"actor": user, "campaign": campaign, "topic": None, "count": MAX_LEASES}
    while slots := claim_ahead(**wanted, kind=kind):
        for slot in slots:
            submit_judgment(
                actor=user, slot=slot, grade=grades[slot.topic.number, slot.item.docno], kind=kind
            )
        given += len(slots)
    return given


def adjudicate(organizer: User, campaign: Campaign, nist: Grades) -> tuple[int, datetime]:
    """Settle every disagreement by NIST's grade; how many, and the moment before."""
    third = joined(campaign, "third", Role.ADJUDICATOR)
    before = timezone.now()
    wanted = list_pairs_to_adjudicate(campaign, min_difference=1, crossing=False)
    open_round(actor=organizer, campaign=campaign, pairs=wanted, adjudicators=[third])
    return work_through(third, campaign, nist, Plan.Kind.ADJUDICATE), before


def majority(grades: list[int]) -> int:
    counts = Counter(grades)
    return min(grade for grade in counts if counts[grade] == max(counts.values()))


def text_of(grades: Grades) -> str:
    return "".join(f"{topic} 0 {docno} {grades[topic, docno]}\n" for topic, docno in sorted(grades))


def released(qrels: Qrels) -> str:
    return store.get_blob(qrels.path).decode()


def test_eight_assessors_are_adjudicated_released_and_verified(organizer, judged, published, nist):
    assert Judgment.objects.count() == len(NAMES) * PASSAGES
    assert not Slot.objects.exclude(state=Slot.State.JUDGED).exists()
    sides = {pair: [published[name][pair] for name in NAMES] for pair in nist}
    split = {pair for pair, grades in sides.items() if len(set(grades)) > 1}
    sizes = [each.size for each in list_disagreements(judged)]
    assert sizes == sorted((max(sides[p]) - min(sides[p]) for p in split), reverse=True)

    own = [f"assessor:{name}" for name in NAMES]
    for draft in preview_policies(actor=organizer, campaign=judged, policies=own):
        assert draft.text().decode() == text_of(published[draft.policy.own])

    settled, before = adjudicate(organizer, judged, nist)
    assert settled == len(split)
    assert list_rounds(judged)[0].tally.percent == 100
    assert list_pairs_to_adjudicate(judged, min_difference=1, crossing=False) == []

    release = {"actor": organizer, "campaign": judged}
    voted = {pair: majority(grades) for pair, grades in sides.items()}
    decided = {pair: nist[pair] if pair in split else voted[pair] for pair in nist}
    made = freeze_qrels(**release, policy="adjudicated-majority")
    plain = freeze_qrels(**release, policy="majority")
    earlier = freeze_qrels(**release, policy="adjudicated-majority", as_of=before)
    assert released(made) == text_of(decided)
    assert released(plain) == released(earlier) == text_of(voted)
    assert released(made) != released(plain)

    told = made.manifest
    assert told["purposes"] == {"judge": len(NAMES) * PASSAGES, "adjudicate": len(split)}
    assert told["adjudications"] == {
        "pairs": len(split),
        "changed": sum(decided[pair] != voted[pair] for pair in nist),
        "adjudicators": {"third": len(split)},
    }
    assert told["assessors"] == dict.fromkeys(NAMES, PASSAGES)
    assert all(map(verify_qrels, (made, plain, earlier)))
