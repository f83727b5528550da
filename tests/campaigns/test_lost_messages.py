"""Work that waits though its message is lost: with a worker, with the broker, or for want of a
database.
"""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from celery._state import _task_stack
from celery.exceptions import Retry
from celery.worker.consumer import Consumer
from django.db import OperationalError
from django.utils import timezone
from kombu.transport import redis, virtual

from campaigns.models import Job, JobPart, ProcessHeartbeat
from campaigns.services import job_parts, jobs
from campaigns.services.heartbeats import (
    record_heartbeat,
    record_worker_heartbeat,
    requeue_lost_work,
)
from tests.world.parts import collect_numbers
from workbench.worker_consumer import SteadyConsumer

KIND = "campaigns.check_run"
WORKER = ProcessHeartbeat.Process.WORKER


@pytest.fixture
def sent(monkeypatch):
    """Messages to workers: a number of a part, or None for the job."""
    return collect_numbers(monkeypatch)


@pytest.fixture
def waiting(campaign, organizer):
    """A job, and one whose first part is in progress while its second waits: all for 20 s."""
    at = timezone.now() - timedelta(seconds=20)
    made = [Job(campaign=campaign, kind=KIND, created_by=organizer) for _ in range(2)]
    alone, divided = Job.objects.bulk_create(made)
    Job.objects.update(created_at=at)
    Job.objects.filter(pk=divided.pk).update(state=Job.State.RUNNING, heartbeat=at)
    for number, state in enumerate((JobPart.State.RUNNING, JobPart.State.QUEUED), 1):
        JobPart.objects.create(job=divided, number=number, state=state, heartbeat=at)
    return alone, divided


def stop_beating(name: str, **since: int) -> None:
    record_heartbeat(WORKER, name)
    at = timezone.now() - timedelta(**since)
    ProcessHeartbeat.objects.filter(name=name).update(at=at)


def test_what_waits_is_sent_again_once_after_a_worker_has_died(waiting, sent):
    """It may have died as it sent the messages of a job's parts, or took one from the broker."""
    record_heartbeat(WORKER, "b")
    stop_beating("a", seconds=30)
    assert (requeue_lost_work(), sent) == (0, [])
    stop_beating("a", seconds=41)
    assert (requeue_lost_work(), sent) == (2, [None, 2])
    assert requeue_lost_work() == 0


def test_a_worker_in_the_place_of_a_dead_one_sends_again_what_waits(waiting, sent):
    record_worker_heartbeat("new", is_first=True)
    assert sent == []
    stop_beating("a", seconds=5)
    record_worker_heartbeat("a", is_first=False)
    assert sent == []
    record_worker_heartbeat("a", is_first=True)
    assert sent == [None, 2]


def test_a_worker_whose_broker_came_back_sends_again_what_waits(waiting, sent, monkeypatch):
    """It may have come back empty, and who could not reach it meanwhile has sent nothing."""
    consumer = SteadyConsumer.__new__(SteadyConsumer)
    monkeypatch.setattr(Consumer, "connect", lambda _self: "connection")
    monkeypatch.setattr(Consumer, "on_connection_error_after_connected", lambda *_: None)
    assert consumer.connect() == "connection"
    record_worker_heartbeat("a", is_first=True)
    assert sent == []
    consumer.on_connection_error_after_connected(ConnectionError())
    record_worker_heartbeat("a", is_first=False)
    assert sent == []
    for _ in range(2):
        consumer.connect()
        record_worker_heartbeat("a", is_first=False)
    assert sent == [None, 2]


def test_a_worker_takes_messages_although_redis_hung_as_it_acknowledged_one(monkeypatch):
    def hang(*_args):
        raise ConnectionError("timeout")

    qos = redis.Channel.QoS(SimpleNamespace(do_restore=False), prefetch_count=1)
    monkeypatch.setattr(qos, "_remove_from_indices", hang)
    virtual.QoS.append(qos, "message", "tag")
    assert not qos.can_consume()
    with pytest.raises(ConnectionError):
        qos.ack("tag")
    assert qos.can_consume()


@pytest.mark.parametrize(("kind", "args"), [(KIND, [1]), (jobs.PERFORM_PART, [1, 1])])
def test_a_claim_that_loses_the_database_is_tried_again(monkeypatch, kind, args):
    """Nothing was written: no need to wait for a sweep."""

    def lose() -> None:
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(jobs, "read_clock", lose)
    monkeypatch.setattr(job_parts, "read_clock", lose)
    task, sent = jobs.load_tasks().tasks[kind], []
    message = SimpleNamespace(apply_async=lambda: sent.append(kind))
    monkeypatch.setattr(task, "signature_from_request", lambda *_, **_options: message)
    _task_stack.push(task)
    task.push_request(called_directly=False, is_eager=False, retries=0)
    try:
        with pytest.raises(Retry):
            task.run(*args)
    finally:
        task.pop_request()
        _task_stack.pop()
    assert sent == [kind]
