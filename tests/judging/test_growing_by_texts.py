"""Pools that grow by the texts of documents (CAL), and that replays read the same texts."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.urls import reverse

from campaigns.errors import Refused
from campaigns.models import Document, Topic
from campaigns.services.collection import import_documents
from judging.services.plans import make_plan
from judging.services.work import claim
from pooling.core.building import simulated
from pooling.core.session import Diverged
from pooling.core.spec import depth_spec
from pooling.core.spec_file import read_spec
from pooling.models import Pool
from pooling.queries.texts import documents_of, text_of
from pooling.services import freeze, growing, preview, texts
from pooling.services.inputs import build
from tests.judging.test_growing import said, worked
from tests.pooling.conftest import ranked_run

TEXTS = {
    "a1": "apples and more apples",
    "a2": "an apple tree bears apples",
    "a3": "apples again, apples for ever",
    "k1": "knots in a rope",
    "k2": "knots on a rope, and ropes",
    "w1": "water runs down",
}
HTML = "<p class='knots'>apples <b>and</b> pears &amp; figs</p>"
RANKED = {"north": "k1 a1 k2 a3", "south": "k1 w1 a2 h1"}
SPEC = "steps: [{method: depth, k: 1}, {method: cal}]"


@pytest.fixture
def runs(campaign, organizer, team):
    rows = [{"docno": docno, "text": text} for docno, text in TEXTS.items()]
    lines = [json.dumps(row) for row in [*rows, {"docno": "h1", "html": HTML}]]
    import_documents(actor=organizer, campaign=campaign, data="\n".join(lines).encode())
    Topic.objects.filter(campaign=campaign, number="1").update(description="Are apples good?")
    return [ranked_run(team, tag, {"1": docnos}) for tag, docnos in RANKED.items()]


@pytest.fixture
def pool(campaign, organizer, runs) -> Pool:
    return freeze(actor=organizer, campaign=campaign, spec=read_spec(SPEC), runs=runs)


@pytest.fixture
def plan(pool, organizer, assessor):
    return make_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})


@pytest.mark.parametrize("good", ["a1 a2 a3", "k2 w1"])
def test_documents_come_in_the_order_of_a_simulation(
    pool, plan, campaign, runs, assessor, topic, good
):
    _, (session,) = build(campaign, runs, read_spec(SPEC))
    simulated(session, lambda _, docno: docno in good.split())
    docnos = [session.candidates.docnos[choice.doc] for choice in session.given]
    assert sorted(docnos) == sorted([*TEXTS, "h1"])
    assert worked(assessor, campaign, topic, good) == docnos
    assert growing.check_log(pool) == 7


def test_a_restart_reads_again_and_goes_on_as_before(pool, plan, campaign, assessor, topic):
    came = []
    while (slot := claim(actor=assessor, campaign=campaign, topic=topic)) is not None:
        growing._sessions.clear()
        growing._listings.clear()
        said(assessor, slot, int(slot.item.docno in ("k2", "w1")))
        came.append(slot.item.docno)
    assert len(set(came)) == 7
    assert growing.check_log(pool) == 7


def test_previewing_and_freezing_load_no_text(campaign, organizer, runs, monkeypatch):
    monkeypatch.setattr(texts, "documents_of", None)
    args = {"actor": organizer, "campaign": campaign, "spec": read_spec(SPEC), "runs": runs}
    seen = preview(**args)
    assert (seen.parts.size, seen.most) == (1, 7)
    pool = freeze(**args)
    assert (pool.size, pool.grows, pool.inputs_hash) == (1, True, seen.inputs_hash)


def test_the_pool_names_what_was_there_to_read(campaign, organizer, runs, pool):
    assert list(pool.spec["texts"]) == ["1"]
    assert len(pool.spec["texts"]["1"]) == 64
    with pytest.raises(Refused) as refused:
        freeze(actor=organizer, campaign=campaign, spec=read_spec(SPEC), runs=runs)
    assert refused.value.code == "same-pool"
    plain = freeze(actor=organizer, campaign=campaign, spec=depth_spec(1), runs=runs)
    assert "texts" not in plain.spec


@pytest.mark.parametrize(
    "change",
    [
        lambda: Document.objects.filter(docno="k2").update(body="apples"),
        lambda: Document.objects.filter(docno="k2").delete(),
        lambda: Topic.objects.filter(number="1").update(description="Are knots good?"),
    ],
)
def test_other_texts_than_at_first_are_told(pool, plan, campaign, assessor, topic, change):
    said(assessor, claim(actor=assessor, campaign=campaign, topic=topic), 0)
    change()
    topic.refresh_from_db()
    with pytest.raises(Refused, match="texts of topic 1 are not those") as refused:
        claim(actor=assessor, campaign=campaign, topic=topic)
    assert refused.value.code == "pool-diverged"
    with pytest.raises(Diverged):
        growing.check_log(pool)
    with pytest.raises(CommandError, match="1 pools differ"):
        call_command("check_pool", "small")


def test_documents_without_a_text_are_named(campaign, organizer, runs, as_user):
    Document.objects.filter(docno__startswith="a").delete()
    Document.objects.filter(docno="w1").update(format="pdf", file="x", body="")
    args = {"actor": organizer, "campaign": campaign, "spec": read_spec(SPEC), "runs": runs}
    for service in (preview, freeze):
        with pytest.raises(Refused, match=r"4 of 7 documents .* here: a1, a2, a3, w1\.") as refused:
            service(**args)
        assert refused.value.code == "needs-texts"
    asked = {"run": [run.pk for run in runs], "text": SPEC, "seconds": 30, "preview": 1}
    response = as_user(organizer).post(reverse("pools", args=[campaign.slug]), asked)
    assert response.status_code == 422
    assert "PDF and pictures have none" in response.content.decode()


def test_of_many_without_a_text_the_first_are_named():
    docnos = [f"d{number}" for number in range(1_006)]
    with pytest.raises(Refused, match=r"1,006 of 1,006 .* d0, d1, d2, d3, d4 and 1,001 more"):
        texts.check_all_there(docnos, (), "cal")


def test_an_empty_text_is_one(campaign, organizer, runs):
    Document.objects.filter(docno="w1").update(title="", body="")
    args = {"actor": organizer, "campaign": campaign, "spec": read_spec(SPEC), "runs": runs}
    assert preview(**args).most == 7


def test_without_scikit_learn_it_is_refused_and_told(
    pool, plan, campaign, organizer, assessor, topic, runs, monkeypatch
):
    said(assessor, claim(actor=assessor, campaign=campaign, topic=topic), 0)
    monkeypatch.setattr(texts.importlib.util, "find_spec", lambda _: None)
    args = {"actor": organizer, "campaign": campaign, "spec": read_spec(SPEC), "runs": runs}
    acts = (
        lambda: preview(**args),
        lambda: freeze(**args),
        lambda: claim(actor=assessor, campaign=campaign, topic=topic),
    )
    for act in acts:
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.code == "no-scikit-learn"
    with pytest.raises(CommandError, match="1 pools differ"):
        call_command("check_pool", "small")


def test_of_html_what_stands_between_the_tags_is_read(campaign, runs):
    found = documents_of(campaign, ["h1", "a1", "nowhere"])
    assert {docno: text_of(document).split() for docno, document in found.items()} == {
        "h1": ["apples", "and", "pears", "&", "figs"],
        "a1": TEXTS["a1"].split(),
    }


def test_a_session_in_use_is_not_made_a_second_time(pool, topic, monkeypatch):
    growing.prepare(pool, topic)
    with transaction.atomic():
        growing.session_at(pool, topic)
        assert not growing._sessions
        monkeypatch.setattr(growing, "followed", None)
        growing.prepare(pool, topic)


def test_texts_are_read_before_anything_is_locked_and_count_as_memory(pool, topic, monkeypatch):
    growing.prepare(pool, topic)
    (folded,) = growing._sessions.values()
    assert folded.session.cells > 2 * 7 + 15
    monkeypatch.setattr(texts, "documents_of", None)
    growing.prepare(pool, topic)
    assert folded.session.next() is not None
