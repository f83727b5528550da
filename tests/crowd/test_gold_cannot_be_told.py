"""A document of known grade and a repeat cannot be told from the others, by anything a worker gets.

A unit with all three kinds is driven through the pages. Of every text: the page, the page after
going back, the answer's response, a refused answer, a skip. All responses of one sort must be equal
but for what is random or is the text itself: status, every header, every character, the number of
queries and the size.
"""

import re
from collections import defaultdict
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from crowd.models import Study, WorkUnit
from judging.models import Purpose, Slot
from tests.crowd.visiting import begin, read_hidden
from tests.crowd.worker_study import TOPIC, make_practice, make_study, make_unit, unit_path
from tests.examples import ALL
from tests.pages import read_page

UUID_TEXT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SIGNED = re.compile(r'name="shown" value="[^"]*"')
NUMBER = re.compile(
    r"Document \d+ of|value=\"\d+\"\s+max=|file/\d+/|Text \d{3}|about \d+ minutes? left"
    r"|answered \d+ of|We pay [\d.]+"  # by the number of answers
)
TIME_LEFT = re.compile(r'<p class="quiet">\s*N?\s*</p>')
NAME = re.compile(r"\b\d+\b|'[^']*'|s\d+_x\d+")
CURSOR = re.compile(r"_django_curs_\w+")
"""PostgreSQL numbers its cursors."""
SECRETS = (TOPIC, "docno", "pooldoc", "golddoc", "practicedoc", "gold", "goldwhy", "repeat",
           "purpose", "relevance", "d41d8cd98f")  # fmt: skip


@pytest.fixture
def study(campaign, monkeypatch):
    if ALL:
        return make_study(campaign, unit_size=8, gold_per_unit=4, repeats_per_unit=3)
    monkeypatch.setattr("poolbench.crowd.units.SOONEST", 1)
    return make_study(campaign, unit_size=3, gold_per_unit=2, repeats_per_unit=1)


def masked(response, path: str) -> str:
    """The response without what is random, its number, or the text's own words."""
    page = response.content.decode().replace(path, "PATH")
    page = SIGNED.sub("SHOWN", UUID_TEXT.sub("UUID", page))
    # The time left is told from the third answer on, whatever was answered.
    return TIME_LEFT.sub("TIME", NUMBER.sub("N", page))


class Watch:
    """Sends requests and keeps of each response what could be compared, by sort and purpose."""

    def __init__(self, path: str) -> None:
        self.client, self.path = Client(), path
        self.seen: dict[str, dict[str, set[object]]] = defaultdict(lambda: defaultdict(set))
        self.bodies: list[str] = []

    def send(self, sort: str, purpose: str, address: str, form: dict[str, str] | None = None):
        send = self.client.get if form is None else self.client.post
        with CaptureQueriesContext(connection) as queries:
            response = send(address, *([] if form is None else [form]))
        page = masked(response, self.path)
        headers = {name: value.replace(self.path, "PATH") for name, value in response.items()}
        # Numbers of one and two digits make the page longer; nothing else may.
        del headers["X-Request-ID"]  # drawn for each request
        length = int(headers.pop("Content-Length", 0))
        assert length == len(response.content)
        named = (CURSOR.sub("cursor", query["sql"]) for query in queries)
        statements = tuple(NAME.sub("?", sql)[:60] for sql in named)
        told = (response.status_code, tuple(sorted(headers.items())), page, statements)
        first = "first" if "Document 1 of" in response.content.decode() else ""
        self.seen[sort + first][purpose].add(told)
        self.bodies.append(str(headers) + response.content.decode())
        return response


def drive(unit: WorkUnit, path: str) -> Watch:
    """Look at every text of the unit, go back to it, answer wrongly formed, answer, skip some."""
    watch = Watch(path)
    slots = list(unit.slots.order_by("unit_position"))
    for slot in slots:
        kind = slot.purpose
        response = watch.send("page", kind, path)
        fields = read_hidden(read_page(response))
        assert fields["token"] == str(slot.token)
        watch.send("bad", kind, path + "answer/", {**fields, "grade": "77"})
        watch.send("bare", kind, path + "answer/", {**fields, "cannot": "1"})
        watch.send("answer", kind, path + "answer/", {**fields, "grade": "2"})
        again = watch.send("back", kind, path + "?back=1")
        fields = read_hidden(read_page(again))
        watch.send("change", kind, path + "answer/", {**fields, "grade": "1"})
        watch.send("leave", kind, path + "leave/")
        watch.send("file", kind, path + f"file/{slot.unit_position}/")
    return watch


def check_kinds(watch: Watch, unit: WorkUnit) -> None:
    """One shape for all kinds of documents, with the same statements in the same order."""
    purposes = set(Slot.objects.filter(unit=unit).values_list("purpose", flat=True))
    assert purposes == {Purpose.JUDGE, Purpose.GOLD, Purpose.REPEAT}
    for sort, by_purpose in watch.seen.items():
        if sort.endswith("first"):
            continue  # only one text is the first
        assert set(by_purpose) == purposes, sort
        assert len(set().union(*by_purpose.values())) == 1, sort
    assert len(watch.bodies) == 8 * unit.size


def test_skips_of_gold_and_repeats_look_like_others(study):
    unit = make_unit(study)
    path = unit_path(unit)
    begin(Client(), path)
    unit.refresh_from_db()
    watch = Watch(path)
    for slot in unit.slots.order_by("unit_position"):
        fields = read_hidden(read_page(watch.send("page", slot.purpose, path)))
        form = {**fields, "cannot": "1", "reason": "undecided"}
        response = watch.send("skip", slot.purpose, path + "answer/", form)
        assert response.status_code == 303
    shown = {purpose: {told[:3] for told in rows} for purpose, rows in watch.seen["skip"].items()}
    assert len(shown) == 3
    assert len(set(map(frozenset, shown.values()))) == 1


def test_no_response_tells_a_secret_or_the_kind_of_a_document(study):
    make_practice(study, [2, 0], needed=1)
    unit, client, bodies = make_unit(study), Client(), []

    def get(address: str) -> str:
        response = client.get(address)
        bodies.append(str(dict(response.items())) + response.content.decode())
        return read_page(response)

    path = unit_path(unit)
    for name in ("", "consent/", "leave/", "instructions/"):
        get(path + name)
    client.post(path + "consent/", {"version": "1", "agree": "1"})
    for _ in range(2):
        form = {**read_hidden(get(path + "practice/")), "grade": "2"}
        get(client.post(path + "practice/", form)["Location"])
    get(path)
    client.post(path + "begin/")
    unit.refresh_from_db()
    watch = drive(unit, path)
    check_kinds(watch, unit)
    bodies += watch.bodies
    get(path)
    client.post(path + "finish/")
    get(path + "end/")
    everything = "\n".join(bodies).replace(path, "")
    # File names of style sheets and words of the grades are no secrets.
    assert {secret for secret in SECRETS if secret in everything.lower()} == set()
    stored = list(study.campaign.documents.values_list("docno", flat=True))
    assert [docno for docno in stored if len(docno) > 3 and docno in everything] == []


def test_the_order_follows_from_nothing_that_the_worker_knows(campaign):
    """Two units with the same public name would not have the same order: the seed is secret."""
    study = make_study(campaign, unit_size=8, gold_per_unit=4)
    orders = set()
    for number in range(4 if ALL else 3):
        unit = make_unit(study, f"p{number}", f"s{number}")
        begin(Client(), unit_path(unit))
        slots = unit.slots.order_by("unit_position")
        orders.add(tuple(slot.purpose for slot in slots))
        Slot.objects.filter(unit=unit, purpose=Purpose.JUDGE).update(
            state=Slot.State.OPEN, assessor=None, expires_at=None, token=uuid4()
        )
    assert len(orders) > 1
    assert Study.objects.get().gold_per_unit == 4
