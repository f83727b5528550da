"""Pages of many topics and assessors: what they weigh, and that all is reachable."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.models import Member, Role, Topic, User
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from judging.views import agreement_parts
from judging.views.progress import TABLE_ROWS
from tests.pages import read_page
from tests.world.files import make_pool
from tests.world.people import begin

TOPICS, ASSESSORS = 230, 110
MOST_BYTES = 300_000
MOST_QUERIES = 46


@pytest.fixture
def large_plan(organizer):
    """Topic 230 has two documents more than the others."""
    campaign = begin(organizer, "Large", "large")
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(n), title=f"topic {n}", position=n)
        for n in range(4, TOPICS + 1)
    )
    users = User.objects.bulk_create(User(username=f"a{n:03}") for n in range(ASSESSORS))
    Member.objects.bulk_create(
        Member(campaign=campaign, user=user, role=Role.ASSESSOR) for user in users
    )
    numbers = [str(n) for n in range(1, TOPICS + 1)]
    pool = make_pool(campaign, {n: ["d1", "d2", "d3"][: 3 if n == "230" else 1] for n in numbers})
    pairs = {
        n: [users[at % ASSESSORS], users[(at + 1) % ASSESSORS]] for at, n in enumerate(numbers)
    }
    return create_plan(actor=organizer, pool=pool, overlap=2, assessors=pairs)


def read_topics(page: str) -> list[str]:
    return re.findall(r'<th scope="row" data-value="(\d+)"', page)


def read_assessors(page: str) -> list[str]:
    return re.findall(r'judging/assessor/(a\d+)/"', page)


def test_a_large_overview_is_bounded_and_wholly_reachable(large_plan, organizer, as_user):
    """Costs 3 s: a campaign of its own."""
    client, url = as_user(organizer), reverse("judging", args=["large"])
    client.get(url)
    with CaptureQueriesContext(connection) as queries:
        first = read_page(client.get(url))
    assert len(first.encode()) < MOST_BYTES
    assert len(queries) <= MOST_QUERIES
    name = f"plan-{large_plan.pk}"
    assert f"?{name}=2#{name}" in first
    assert "?assessors=2#assessors" in first
    pages = [read_page(client.get(url, {name: n, "assessors": min(n, 2)})) for n in (1, 2, 3)]
    assert [len(read_topics(page)) for page in pages] == [TABLE_ROWS, TABLE_ROWS, 30]
    assert {n for page in pages for n in read_topics(page)} == {str(n) for n in range(1, 231)}
    assert {who for page in pages for who in read_assessors(page)} == {
        f"a{n:03}" for n in range(ASSESSORS)
    }
    # Another table stays on its page.
    assert f"?{name}=3&amp;assessors=1#assessors" in pages[2]


def test_topics_and_assessors_are_found_on_all_pages(large_plan, organizer, as_user):
    """Costs 2 s: a campaign of its own."""
    client, url = as_user(organizer), reverse("judging", args=["large"])
    by_title = read_page(client.get(url, {"q": "topic 229"}))
    assert (read_topics(by_title), read_assessors(by_title)) == (["229"], [])
    by_name = read_page(client.get(url, {"q": "A109"}))
    assert read_topics(by_name) == ["109", "110", "219", "220"]
    assert set(read_assessors(by_name)) == {"a109"}
    assert "No topics match “nothing”." in read_page(client.get(url, {"q": "nothing"}))
    longest = read_page(client.get(url, {"order": "left"}))
    assert read_topics(longest)[:3] == ["230", "1", "2"]


def test_agreement_by_topic_has_pages_and_an_order(
    campaign, organizer, assessor, assessor2, as_user, monkeypatch
):
    monkeypatch.setattr(agreement_parts, "TABLE_ROWS", 2)
    for turn, who in enumerate((assessor, assessor2)):
        rows = [(n, f"d{at}", (at + turn * (n == "3")) % 2) for n in "123" for at in range(1, 8)]
        import_judgments(actor=organizer, campaign=campaign, assessor=who, rows=rows)

    def list_topics(**query: object) -> list[str]:
        url = reverse("agreement-topics", args=[campaign.slug])
        told = read_page(as_user(organizer).get(url, query))
        assert "Mean over topics" in told
        return re.findall(r'<th scope="row">\s*<a class="mono"[^>]*>(\d)', told)

    assert list_topics() == ["1", "2"]
    assert list_topics(page=2) == ["3"]
    assert list_topics(order="low") == ["3", "1"]
    assert list_topics(q="2") == ["2"]
    assert list_topics(q="x") == []
