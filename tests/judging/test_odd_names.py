"""Topic numbers and docnos with blanks, ``#`` and what else means something in an address."""

import re
from html import unescape

import pytest
from django.urls import reverse

from campaigns.models import Document, Topic
from judging.models import Judgment
from judging.services.judgments import claim_next
from judging.services.plans import create_plan
from judging.services.reviews import start_own_review
from tests.pages import read_page
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment

NUMBER = "q #7 ?a=b&c%20+ü"
DOCNOS = ["doc #1?x=y&z", "clueweb/en 00%2F#9", "ü+ä;'\"<b>"]


@pytest.fixture
def odd_plan(campaign, organizer, assessor):
    topic = Topic.objects.create(campaign=campaign, number=NUMBER, title="Odd names", position=9)
    Document.objects.bulk_create(
        Document(campaign=campaign, docno=docno, title=f"Title {at}", body="Odd text. " * 40)
        for at, docno in enumerate(DOCNOS)
    )
    pool = make_pool(campaign, {NUMBER: DOCNOS})
    create_plan(actor=organizer, pool=pool, assessors={NUMBER: [assessor]})
    for at, docno in enumerate(DOCNOS[:2]):
        said = {"docno": docno, "grade": at, "flags": ["unsure", "typical"]}
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, **said)
    claim_next(actor=assessor, campaign=campaign, topic=topic)
    return topic


def list_addresses(page: str) -> set[str]:
    """Those of the campaign that the page links to."""
    found = map(unescape, re.findall(r'(?:href|src)="(/c/small/[^"]*)"', page))
    return {address for address in found if not address.endswith((".csv", ".json"))}


@pytest.mark.parametrize("role", ["assessor", "organizer"])
def test_every_link_to_what_has_an_odd_name_leads_there(odd_plan, campaign, as_user, role, request):
    user = request.getfixturevalue(role)
    if role == "assessor":
        start_own_review(actor=user, campaign=campaign, documents=[(NUMBER, d) for d in DOCNOS[:2]])
        names = ["work", "my-judgments"]
    else:
        names = ["judging", "flagged-documents", "topics", "documents", "agreement"]
    client, wrong, seen = as_user(user), {}, set()
    todo = [reverse(name, args=["small"]) for name in names]
    todo += [reverse("topic", args=["small", NUMBER])]
    if role == "assessor":
        todo += [reverse("judge", args=["small", NUMBER])]
    pages = {address: client.get(address) for address in todo}
    for address, answer in pages.items():
        assert answer.status_code == 200, address
        page = read_page(answer)
        for link in list_addresses(page) - seen:
            seen.add(link)
            # A bare # would cut the address; what is before it must be the whole of it.
            got = client.get(link.partition("#")[0])
            if got.status_code not in (200, 302):
                wrong[link] = (got.status_code, address)
    assert wrong == {}
    odd = [link for link in seen if "%23" in link]
    assert len(odd) >= 4, sorted(seen)


def test_judging_a_document_with_an_odd_name(odd_plan, campaign, as_user, assessor):
    url = reverse("judge-ahead", args=["small"])
    client = as_user(assessor)
    body = {"topic": NUMBER, "have": [], "count": 3}
    (document,) = client.post(url, body, content_type="application/json").json()["documents"]
    assert document["docno"] == DOCNOS[2]
    act = {"act": "judge", "uuid": "6d1ab26c-5d1c-4d6e-9d55-1f26a4a4b0a1", "grade": 2}
    act |= {"topic": NUMBER, "docno": document["docno"], "token": document["token"]}
    sync = reverse("judge-sync", args=["small"])
    answer = client.post(sync, {"acts": [act]}, content_type="application/json").json()
    assert answer["results"][0]["ok"]
    assert Judgment.objects.get(docno=DOCNOS[2]).grade == 2
    change = reverse("judge-change", args=["small", NUMBER], query={"docno": DOCNOS[2]})
    assert "Title 2" in read_page(client.get(change))
