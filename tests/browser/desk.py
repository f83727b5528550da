"""What the tests of the judging screen in Chromium share: work to do, and somebody signed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.test import Client

from campaigns.models import Campaign, Document, User
from judging.models import Judgment, Plan
from judging.services.plans import create_plan
from tests.browser.door import DOOR
from tests.world.files import make_pool

if TYPE_CHECKING:
    from playwright.sync_api import Page


def give_work(campaign: Campaign, assessor: User, documents: int = 8, **more: object) -> Plan:
    """Topic 1 with documents w01, w02, … for ``assessor``, to be judged in this order."""
    campaign.topics.filter(number="1").update(title="red apples", description="Apples that are red")
    docnos = [f"w{n:02}" for n in range(1, documents + 1)]
    Document.objects.bulk_create(
        Document(campaign=campaign, docno=docno, title=f"Title of {docno}", body=body(docno))
        for docno in docnos
    )
    pool = make_pool(campaign, {"1": docnos})
    people = {"1": [assessor]}
    plan = create_plan(actor=campaign.created_by, pool=pool, overlap=1, assessors=people)
    Plan.objects.filter(pk=plan.pk).update(**more)
    for at, slot in enumerate(plan.slots.order_by("item__docno")):
        plan.slots.filter(pk=slot.pk).update(position=at)
    return plan


def body(docno: str) -> str:
    lines = [f"Paragraph {n} of {docno} tells of red apples and of pears." for n in range(30)]
    return "\n\n".join(lines)


def sign_in(page: Page, user: User, address: str) -> None:
    """The session cookie of a signed-in user, in the page's own context."""
    client = Client()
    with DOOR.turn:
        client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    cookie = {"name": name, "value": client.cookies[name].value, "url": address}
    page.context.add_cookies([cookie])


def shown(page: Page) -> str:
    return page.locator("#grades [name=docno]").input_value()


def settle(page: Page, ahead: int = 1) -> None:
    """Wait until a document is in hand for long enough, with ``ahead`` behind it."""
    page.wait_for_function(
        "n => { const d = document.querySelector('#judge').dataset;"
        " return d.live === '' && 'settled' in d && !('waiting' in d) && Number(d.ready) >= n; }",
        arg=ahead,
    )


def settle_for_clicks(page: Page) -> None:
    """As long again: a click that could be the second half of a double click counts later."""
    page.wait_for_selector("#judge[data-settled~=clicks]")


def unsent(page: Page, count: int) -> None:
    page.wait_for_function(
        "n => document.querySelector('#judge').dataset.unsent === String(n)", arg=count
    )


def said(kind: str = "grade") -> list[tuple[str, int | None]]:
    """What the log holds of one kind, in order: (docno, grade)."""
    rows = Judgment.objects.filter(kind=kind).order_by("pk")
    with DOOR.turn:
        return list(rows.values_list("docno", "grade"))
