"""What a frozen sample was drawn from, from the page and the API, with the grades of qrels."""

import pytest
from django.db import transaction
from django.urls import reverse

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Run
from judging.models import Qrels
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.runs.sampled_qrels import read_prels, read_strata
from pooling.models import PoolItem
from pooling.services.adaptive_pools import extend_pool_topic, frame_text
from pooling.services.freeze import freeze_pool
from tests.pages import read_page

# Best ranks of topic 1: d1, d2, d5 1, d4 2, d3, d9 3; of topic 2: d1, d2 1, d3 2.
SPEC = read_spec("steps: [{method: strata, windows: [1-1, 2-3], sample: [all, 1]}]")
STRATA = {"1": {"d1": "1", "d2": "1", "d3": "2", "d4": "2", "d5": "1", "d9": "2"}} | {
    "2": {"d1": "1", "d2": "1", "d3": "2"}
}


@pytest.fixture
def pool(organizer, campaign, runs):
    return freeze_pool(actor=organizer, campaign=campaign, spec=SPEC, runs=runs)


@pytest.fixture
def qrels(organizer, campaign, pool):
    """Every document of the frame has a grade, drawn or not."""
    text = "".join(f"{t} 0 {d} {int(d == 'd2')}\n" for t, docs in STRATA.items() for d in docs)
    path = store.put_blob(text.encode(), ".txt")
    return Qrels.objects.create(
        campaign=campaign, version=1, policy="first", as_of=pool.frozen_at, path=path,
        sha256="0" * 64, pairs=9, manifest={}, frozen_by=organizer,
    )  # fmt: skip


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_the_frame_of_a_frozen_sample_is_found_again(pool, runs):
    assert pool.size == 7
    # What happens to runs afterwards changes nothing.
    Run.objects.filter(pk=runs[0].pk).update(state=Run.State.WITHDRAWN)
    found = rows(frame_text(pool, "strata"))
    wanted = [(t, d, s) for t, docs in STRATA.items() for d, s in docs.items()]
    assert [(t, d, s) for t, _, d, s, _ in found] == wanted
    assert {row[4] for row in found} == {"-1"}
    drawn = read_prels(frame_text(pool, "prels").encode())
    assert len(drawn.qrels.docnos) == 7


def test_grades_are_those_of_the_release_for_what_was_drawn(pool, qrels):
    found = rows(frame_text(pool, "strata", 1))
    kept = set(pool.items.values_list("topic__number", "docno"))
    assert {(t, d) for t, _, d, _, grade in found if grade != "-1"} == kept
    read = read_strata(frame_text(pool, "strata", 1).encode())
    shares = dict(zip([(row[0], row[2]) for row in found], read.inclusion.tolist(), strict=True))
    for item in pool.items.select_related("topic"):
        assert shares[item.topic.number, item.docno] == pytest.approx(item.probability)
    with pytest.raises(ActionRefused, match="Unknown qrels version of small: 2"):
        frame_text(pool, "strata", 2)


def test_a_plain_pool_is_a_frame_by_itself(organizer, campaign, runs):
    plain = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(1), runs=runs)
    assert {row[3] for row in rows(frame_text(plain, "strata"))} == {"0"}
    assert {row[4] for row in rows(frame_text(plain, "prels"))} == {"1.0"}


def test_a_frame_that_is_not_found_again_is_no_guess(pool, organizer, campaign, runs):
    PoolItem.objects.filter(pool=pool, stratum=2).update(probability=0.5)
    with pytest.raises(ActionRefused, match="cannot be rebuilt"):
        frame_text(pool, "strata")
    spec = read_spec("steps: [{method: statap, documents: 2}]")
    weighed = freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    assert len(rows(frame_text(weighed, "prels"))) == 4
    with pytest.raises(ActionRefused, match="no strata"):
        frame_text(weighed, "strata")


def test_the_page_offers_the_sample_and_its_grades(as_user, organizer, campaign, pool, qrels):
    page = as_user(organizer)
    html = page.get(pool.get_absolute_url()).content.decode()
    address = reverse("pool-download", args=[campaign.slug, 1, "strata"])
    assert f"{address}?qrels=1" in html
    answer = page.get(f"{address}?qrels=1")
    assert answer.content.decode() == frame_text(pool, "strata", 1)
    assert 'filename="small-pool-1-strata.txt"' in answer.headers["Content-Disposition"]
    assert page.get(f"{address}?qrels=one").status_code == 409
    ntcir = read_page(page.get(reverse("pool-download", args=[campaign.slug, 1, "ntcir"])))
    assert [row[0] for row in rows(ntcir)] == ["1"] * 4 + ["2"] * 3
    api = page.get(reverse("api-pool-strata", args=[pool.pk]), {"qrels": "1"})
    assert api.content.decode() == frame_text(pool, "strata", 1)
    drawn = page.get(reverse("api-pool-prels", args=[pool.pk])).content.decode()
    assert drawn == frame_text(pool, "prels")
    frame = page.get(address.replace("strata", "frame") + "?qrels=1").content.decode()
    assert [row[:3] for row in rows(frame)] == [
        [topic, docno, grade] for topic, _, docno, _, grade in rows(answer.content.decode())
    ]
    assert read_page(page.get(reverse("api-pool-ntcir", args=[pool.pk]))) == ntcir


def test_a_plain_pool_offers_no_sample(as_user, organizer, campaign, runs):
    plain = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(1), runs=runs)
    assert ".strata" not in as_user(organizer).get(plain.get_absolute_url()).content.decode()


def test_a_sample_after_a_step_that_learns_is_told_when_it_is_complete(organizer, campaign, runs):
    steps = "[{method: maxmean, documents: 1}, {method: strata, documents: 2, windows: [1-3]}]"
    spec = read_spec(f"steps: {steps}")
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    with pytest.raises(ActionRefused, match="is adaptive and not complete"):
        frame_text(pool, "strata")
    with transaction.atomic():
        for row in pool.growing.select_related("topic"):
            extend_pool_topic(pool=pool, topic=row.topic, outcomes={}, passed=(), limit=9)
    found = rows(frame_text(pool, "strata"))
    assert [(row[0], row[3]) for row in found].count(("1", "1")) == 5
    assert [(row[0], row[3]) for row in found].count(("1", "0")) == 1
    shares = [float(row[4]) for row in rows(frame_text(pool, "prels")) if row[0] == "1"]
    assert sorted(shares) == [0.4, 0.4, 1.0]
