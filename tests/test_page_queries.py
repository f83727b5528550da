"""What a page asks of the database does not grow with runs, topics and assessors."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.models import Campaign, Role, Topic, User
from campaigns.services.people import get_or_create_team
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels
from poolbench.cache import clear_caches
from poolbench.pooling.spec import depth_spec
from pooling.services.freeze import freeze_pool
from tests.examples import ALL, take
from tests.page_addresses import list_pages, patterns
from tests.world.files import ranked_run
from tests.world.people import begin, joined

ROLES = ("viewer", "owner", "assessor", "organizer")
RUNS, TOPICS, ASSESSORS = ((3, 14), (2, 9), (2, 7)) if ALL else ((3, 6), (2, 4), (2, 3))
"""Few and many."""
GROWING: dict[str, str] = {}
"""Pages whose queries may grow, and why."""
READ_ONCE = (
    "judging", "judging-assessor", "agreement", "agreement-pair", "agreement-topics",
    "agreement-variation", "assessor-quality", "consensus", "studies", "disagreement-effect",
)  # fmt: skip
"""Pages whose head and parts share what they count of all slots and judgments."""
COUNTS_OF_ALL = (
    r'MAX\("judging_judgment"."id"\) AS "last"',
    # By plan and state, or also by topic and assessor.
    r'AS "slots_open"|"n" FROM "judging_slot" WHERE "judging_slot"."plan_id" IN \([^)]*\) GROUP',
)


@pytest.fixture
def build(organizer) -> Callable[..., Campaign]:
    def build_campaign(slug: str, runs: int, topics: int, assessors: int) -> Campaign:
        """Released scores and a draft; every document is judged by two assessors of many."""
        campaign = begin(organizer, slug.title(), slug)
        Topic.objects.bulk_create(
            Topic(campaign=campaign, number=str(n), title=f"topic {n}", position=n)
            for n in range(4, topics + 1)
        )
        campaign.topics.filter(position__gt=topics).delete()
        people = [joined(campaign, f"{slug}-a{n}", Role.ASSESSOR) for n in range(assessors)]
        numbers = [str(n) for n in range(1, topics + 1)]
        for n in range(runs):
            team = get_or_create_team(actor=organizer, campaign=campaign, name=f"Team {n}")
            order = " ".join(f"d{(n + at) % 9 + 1}" for at in range(9))
            ranked_run(team, f"{slug}-{n}", dict.fromkeys(numbers, order))
            if n == 0:
                joined(campaign, f"{slug}-owner", Role.PARTICIPANT, team)
        joined(campaign, f"{slug}-viewer", Role.VIEWER)
        pool = freeze_pool(
            actor=organizer, campaign=campaign, spec=depth_spec(9), runs=campaign.runs.accepted()
        )
        pairs = {t: [people[at % assessors], people[(at + 1) % assessors]]
                 for at, t in enumerate(numbers)}  # fmt: skip
        create_plan(actor=organizer, pool=pool, overlap=2, assessors=pairs)
        for at, number in enumerate(numbers):
            for place, who in enumerate(pairs[number]):
                rows = [(number, f"d{d}", (d * at + place * d) % 4) for d in range(1, 9)]
                import_judgments(actor=organizer, campaign=campaign, assessor=who, rows=rows)
        qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
        release_scores(
            actor=organizer,
            score_set=score_campaign(actor=organizer, campaign=campaign, qrels=qrels),
        )
        score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
        return campaign

    return build_campaign


def count_page_queries(campaign: Campaign) -> dict[tuple[str, str], int]:
    """By page and role, the queries of a view after the first one, with empty caches.

    With POOLBENCH_TEST_EXAMPLES=all every page for every role that has it, otherwise one page of
    six, for the first role.
    """
    names = {"organizer": "organizer", "assessor": f"{campaign.slug}-a0"}
    some, counts = take(sorted(patterns()), 6), {}
    for role in ROLES:
        client = Client()
        client.force_login(
            User.objects.get(username=names.get(role, f"{campaign.slug}-{role}")),
            "django.contrib.auth.backends.ModelBackend",
        )
        for name, _, address in list_pages(campaign, [role]):
            if name not in some or (not ALL and any(page == name for page, _ in counts)):
                continue
            # What is computed once by a job is there afterwards.
            client.get(address).getvalue()
            clear_caches()
            with CaptureQueriesContext(connection) as queries:
                client.get(address).getvalue()
            counts[name, role] = len(queries)
    return counts


def test_no_page_asks_more_of_a_large_campaign(build):
    few, many = (
        count_page_queries(build(f"size{at}", RUNS[at], TOPICS[at], ASSESSORS[at])) for at in (0, 1)
    )
    assert len(few) > (100 if ALL else 12)
    grown = {
        page: (count, many[page])
        for page, count in few.items()
        if many.get(page, count) > count and page[0] not in GROWING
    }
    assert grown == {}


def test_a_page_counts_all_slots_and_judgments_once(build, client, organizer):
    campaign = build("once", RUNS[0], TOPICS[0], ASSESSORS[0])
    client.force_login(organizer, "django.contrib.auth.backends.ModelBackend")
    pages = {name: path for name, _, path in list_pages(campaign, ["organizer"])}
    for name in READ_ONCE:
        clear_caches()
        with CaptureQueriesContext(connection) as queries:
            client.get(pages[name]).getvalue()
        asked = [query["sql"] for query in queries]
        times = [sum(bool(re.search(count, sql)) for sql in asked) for count in COUNTS_OF_ALL]
        assert max(times) == times[1] == 1, (name, times)
