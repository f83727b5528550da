"""Pools that grow by the texts of documents (CAL), and that replays read the same texts."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Document, Topic
from campaigns.services.collection import import_documents
from judging.services.plans import create_plan
from poolbench.cache import clear_caches
from poolbench.pooling.document_texts import document_text
from poolbench.pooling.pool_builder import simulate_session
from poolbench.pooling.session import LogMismatch
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import read_spec
from pooling.models import Pool
from pooling.queries import document_texts
from pooling.queries.document_texts import load_documents_with_text
from pooling.queries.inputs import build_sessions
from pooling.queries.preview import preview_pool
from pooling.services import adaptive_pools
from pooling.services.freeze import freeze_pool
from tests.examples import take
from tests.judging.test_growing import said, worked
from tests.refusals import refusal
from tests.world.files import ranked_run

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
    return freeze_pool(actor=organizer, campaign=campaign, spec=read_spec(SPEC), runs=runs)


@pytest.fixture
def plan(pool, organizer, assessor):
    return create_plan(actor=organizer, pool=pool, overlap=1, assessors={"1": [assessor]})


@pytest.mark.parametrize("good", take(["a1 a2 a3", "k2 w1"], 2))
def test_documents_come_in_the_order_of_a_simulation(
    pool, plan, campaign, runs, assessor, topic, good
):
    *_, (session,) = build_sessions(campaign, runs, read_spec(SPEC))
    simulate_session(session, lambda _, docno: docno in good.split())
    docnos = [session.candidates.docnos[choice.doc] for choice in session.selected]
    assert sorted(docnos) == sorted([*TEXTS, "h1"])
    assert worked(assessor, campaign, topic, good) == docnos
    assert adaptive_pools.verify_pool_log(pool) == 7


def test_a_restart_reads_again_and_goes_on_as_before(pool, plan, assessor, next_of):
    came = []
    while (slot := next_of(assessor)) is not None:
        clear_caches()
        said(assessor, slot, int(slot.item.docno in ("k2", "w1")))
        came.append(slot.item.docno)
    assert len(set(came)) == 7
    assert adaptive_pools.verify_pool_log(pool) == 7


def test_previewing_and_freezing_load_no_text(campaign, organizer, runs, monkeypatch):
    monkeypatch.setattr(document_texts, "load_documents_with_text", None)
    args = {"actor": organizer, "campaign": campaign, "spec": read_spec(SPEC), "runs": runs}
    seen = preview_pool(**args)
    assert (seen.parts.size, seen.most) == (1, 7)
    pool = freeze_pool(**args)
    assert (pool.size, pool.is_adaptive, pool.inputs_hash) == (1, True, seen.inputs_hash)


def test_the_pool_names_what_was_there_to_read(campaign, organizer, runs, pool):
    assert list(pool.spec["texts"]) == ["1"]
    assert len(pool.spec["texts"]["1"]) == 64
    assert (
        refusal(freeze_pool, actor=organizer, campaign=campaign, spec=read_spec(SPEC), runs=runs)
        == "same-pool"
    )
    plain = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(1), runs=runs)
    assert "texts" not in plain.spec


@pytest.mark.parametrize(
    "change",
    [
        lambda: Document.objects.filter(docno="k2").update(body="apples"),
        lambda: Document.objects.filter(docno="k2").delete(),
        lambda: Topic.objects.filter(number="1").update(description="Are knots good?"),
    ],
)
def test_other_texts_than_at_first_are_told(pool, plan, assessor, topic, change, next_of):
    said(assessor, next_of(assessor), 0)
    change()
    topic.refresh_from_db()
    with pytest.raises(ActionRefused, match="texts of topic 1 have changed since") as refused:
        next_of(assessor)
    assert refused.value.code == "pool-diverged"
    with pytest.raises(LogMismatch):
        adaptive_pools.verify_pool_log(pool)
    with pytest.raises(CommandError, match="do not match their log: 1"):
        call_command("check_pool", "small")


def test_documents_without_a_text_are_named(campaign, organizer, runs, as_user):
    Document.objects.filter(docno__startswith="a").delete()
    Document.objects.filter(docno="w1").update(format="pdf", file="x", body="")
    args = {"actor": organizer, "campaign": campaign, "spec": read_spec(SPEC), "runs": runs}
    for service in (preview_pool, freeze_pool):
        with pytest.raises(
            ActionRefused, match=r"4 of 7 documents have none: a1, a2, a3, w1\."
        ) as refused:
            service(**args)
        assert refused.value.code == "needs-texts"
    asked = {"run": [run.pk for run in runs], "text": SPEC, "seconds": 30, "preview": 1}
    response = as_user(organizer).post(reverse("pools", args=[campaign.slug]), asked)
    assert response.status_code == 422
    assert "PDF and images have none" in response.content.decode()


def test_of_many_without_a_text_the_first_are_named():
    docnos = [f"d{number}" for number in range(1_006)]
    with pytest.raises(ActionRefused, match=r"1,006 of 1,006 .* d0, d1, d2, d3, d4 and 1,001 more"):
        document_texts.check_texts_complete(docnos, (), "cal")


def test_an_empty_text_is_one(campaign, organizer, runs):
    Document.objects.filter(docno="w1").update(title="", body="")
    args = {"actor": organizer, "campaign": campaign, "spec": read_spec(SPEC), "runs": runs}
    assert preview_pool(**args).most == 7


def test_without_scikit_learn_it_is_refused_and_told(
    plan, campaign, organizer, assessor, runs, monkeypatch, next_of
):
    said(assessor, next_of(assessor), 0)
    monkeypatch.setattr(document_texts.importlib.util, "find_spec", lambda _: None)
    args = {"actor": organizer, "campaign": campaign, "spec": read_spec(SPEC), "runs": runs}
    acts = (lambda: preview_pool(**args), lambda: freeze_pool(**args), lambda: next_of(assessor))
    for act in acts:
        assert refusal(act) == "no-scikit-learn"
    with pytest.raises(CommandError, match="do not match their log: 1"):
        call_command("check_pool", "small")


def test_of_html_what_stands_between_the_tags_is_read(campaign, runs):
    found = load_documents_with_text(campaign, ["h1", "a1", "nowhere"])
    assert {docno: document_text(document).split() for docno, document in found.items()} == {
        "h1": ["apples", "and", "pears", "&", "figs"],
        "a1": TEXTS["a1"].split(),
    }


def test_a_session_in_use_is_not_made_a_second_time(pool, topic, monkeypatch):
    adaptive_pools.prepare_session(pool, topic)
    with transaction.atomic():
        adaptive_pools.get_session(pool, topic)
        assert not len(adaptive_pools.SESSIONS)
        monkeypatch.setattr(adaptive_pools, "rebuild_session", None)
        adaptive_pools.prepare_session(pool, topic)


def test_texts_are_read_before_anything_is_locked_and_count_as_memory(pool, topic, monkeypatch):
    adaptive_pools.prepare_session(pool, topic)
    folded = adaptive_pools.SESSIONS.get(adaptive_pools.session_key(pool, topic))
    assert folded.session.cells > 2 * 7 + 15
    monkeypatch.setattr(document_texts, "load_documents_with_text", None)
    adaptive_pools.prepare_session(pool, topic)
    assert folded.session.next() is not None
