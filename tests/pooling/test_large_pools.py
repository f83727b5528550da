"""A large pool is frozen by a job, and what its page says is stored with it."""

import pytest
from django.db import OperationalError
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Job
from campaigns.services import jobs
from campaigns.services.runs import withdraw_run
from judging.services.imports import import_judgments
from poolbench.pooling.spec import depth_spec
from pooling.models import PoolItem
from pooling.queries import inputs, pools
from pooling.services import freeze
from tests.confirming import confirm
from tests.pages import read_page


@pytest.fixture
def wanted(runs, monkeypatch):
    """The fields of a pool, which is taken for a large one."""
    monkeypatch.setattr(freeze, "MOST_IN_REQUEST", 1)
    return {"run": [run.pk for run in runs], "depth": 2, "seconds": 30, "after": 0}


@pytest.fixture
def previewing(page, campaign, wanted, django_capture_on_commit_callbacks):
    """Previews the pool through its page and its job, and returns the page's address."""

    def preview() -> str:
        with django_capture_on_commit_callbacks(execute=True):
            answer = page.post(reverse("pools", args=[campaign.slug]), wanted | {"preview": "1"})
        return answer.url

    return preview


@pytest.fixture
def freezing(page, campaign, wanted, previewing):
    """Freezes a previewed pool through its page."""

    def act():
        previewing()
        return confirm(page, reverse("pool-freeze", args=[campaign.slug]), wanted)

    return act


@pytest.fixture
def broken(monkeypatch):
    """Writing fails after four of seven rows, as if the worker had died."""
    write = freeze.insert_rows

    def write_some(model, columns, rows):
        write(model, columns, list(rows)[:4])
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(freeze, "insert_rows", write_some)
    return lambda: monkeypatch.setattr(freeze, "insert_rows", write)


def test_a_large_pool_is_frozen_by_a_job(
    page, campaign, freezing, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks() as sent:
        answer = freezing()
    job = campaign.jobs.get(kind="pooling.freeze")
    assert answer.url == f"/c/{campaign.slug}/pool/?job={job.pk}"
    assert not campaign.pools.exists()
    assert f'hx-get="{reverse("job", args=[campaign.slug, job.pk])}"' in read_page(
        page.get(answer.url)
    )
    for send in sent:
        send()
    pool = campaign.pools.get()
    assert (pool.size, pool.items.count()) == (7, 7)
    job.refresh_from_db()
    assert (job.state, job.done, job.of) == (Job.State.DONE, 2, 2)
    assert f'href="{pool.get_absolute_url()}"' in read_page(page.get(answer.url))
    assert 'role="status"' not in read_page(page.get(reverse("pools", args=[campaign.slug])))


def test_of_a_lost_worker_nothing_stays_and_the_next_one_freezes(
    campaign, freezing, broken, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        freezing()
    job = campaign.jobs.get(kind="pooling.freeze")
    assert job.state == Job.State.RUNNING
    assert not campaign.pools.exists()
    assert not PoolItem.objects.exists()
    assert not campaign.snapshots.exists()
    assert not campaign.events.filter(code="pool.frozen").exists()
    broken()
    jobs.requeue_work(job)
    jobs.run_here(job)
    assert (job.state, campaign.pools.get().items.count()) == (Job.State.DONE, 7)


def test_a_worker_taken_for_dead_freezes_no_second_pool(
    campaign, freezing, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks():
        freezing()
    job = campaign.jobs.get(kind="pooling.freeze")
    late = jobs.claim_job(job.pk)
    jobs.requeue_work(late)
    jobs.run_here(job)
    with pytest.raises(ActionRefused, match="in the meantime"):
        freeze.freeze_requested_pool(late)
    job.refresh_from_db()
    assert (job.state, campaign.pools.count()) == (Job.State.DONE, 1)


def test_what_has_changed_fails_the_job_in_the_words_of_the_page(
    page, campaign, organizer, runs, freezing, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks() as sent:
        answer = freezing()
    freeze.freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(1), runs=runs)
    for send in sent:
        send()
    assert "Another pool was frozen in the meantime." in read_page(page.get(answer.url))
    assert campaign.pools.count() == 1


def test_the_page_of_a_pool_reads_no_documents(
    page, campaign, organizer, assessor, runs, monkeypatch
):
    pool = freeze.freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    stored = pools.keep_composition(pool, pytest.fail)
    campaign.snapshots.all().delete()  # a pool that was frozen before this was stored
    assert pools.get_pool_composition(pool) == stored
    monkeypatch.setattr(pools, "read_pool_parts", pytest.fail)
    rows = [("1", "d1", 1), ("1", "d2", 0), ("2", "d9", 1)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    assert page.get(pool.get_absolute_url()).status_code == 200
    judged = {each.number: each.judged for each in pools.get_pool_composition(pool).topics}
    assert judged == {"1": 2, "2": 0, "3": 0}


def test_a_job_previews_a_large_pool_as_the_request_does_a_small_one(
    page, campaign, runs, wanted, monkeypatch, django_capture_on_commit_callbacks
):
    address = reverse("pools", args=[campaign.slug])
    with django_capture_on_commit_callbacks() as sent:
        answer = page.post(address, wanted | {"preview": "1"})
    job = campaign.jobs.get(kind="pooling.preview")
    assert answer.url == f"{address}?job={job.pk}&task="
    assert f'id="job-{job.pk}"' in read_page(page.get(answer.url))
    for send in sent:
        send()
    with monkeypatch.context() as patch:
        patch.setattr(inputs, "build_sessions", pytest.fail)
        stored = read_page(page.get(answer.url))
        asked = read_page(page.post(reverse("pool-freeze", args=[campaign.slug]), wanted))
    assert "Pool of 7 documents" in stored
    assert "Freeze pool 1?" in asked
    monkeypatch.setattr(freeze, "MOST_IN_REQUEST", 1_000)
    small = page.post(address, wanted | {"preview": "1"})
    assert small.status_code == 200
    again = page.get(answer.url).context["preview"]
    assert again == small.context["preview"]


def test_a_preview_whose_runs_have_changed_is_said_to_be_old(
    page, campaign, organizer, runs, wanted, previewing
):
    address = previewing()
    withdraw_run(actor=organizer, run=runs[0])
    answer = page.get(address)
    assert answer.status_code == 422
    assert "Runs or pools have changed since the preview." in read_page(answer)
    wanted["run"] = wanted["run"][1:]
    asked = page.post(reverse("pool-freeze", args=[campaign.slug]), wanted)
    assert "Preview the pool again." in read_page(asked)


def test_a_large_pool_that_cannot_be_is_refused_at_once(page, campaign, wanted):
    wanted["depth"] = 10**6
    answer = page.post(reverse("pools", args=[campaign.slug]), wanted | {"preview": "1"})
    assert answer.status_code == 422
    assert "The depth or cut-off must be an integer between 1 and" in read_page(answer)
    assert not campaign.jobs.filter(kind="pooling.preview").exists()
