"""``manage.py qrels``: the same acts as the pages, on the command line."""

import csv
import json
from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError
from django.urls import reverse
from django.utils import timezone

from campaigns import store
from campaigns.models import Event
from judging.models import Judgment, Qrels
from judging.services.adjudication import record_meeting_decision
from tests.confirming import api
from tests.csv_reading import csv_body
from tests.pages import run_command


@pytest.fixture
def disputed(restore, double_plan, campaign):
    """d1 0/3, d2 1/1, d3 1/2."""
    restore("reasons")
    return campaign


@pytest.fixture
def agreed(disputed, organizer, topic):
    """d1 settled as 2."""
    record_meeting_decision(
        actor=organizer, campaign=disputed, topic=topic, docno="d1", grade=2, client_uuid=uuid4()
    )
    return disputed


def run(*args: object, **more: object) -> str:
    args = (*args, "--confirm", "judging-open") if args[0] in ("freeze", "release") else args
    return run_command("qrels", *args, **more)


def test_releases_are_made_listed_written_and_verified(agreed, tmp_path):
    told = run("freeze", "small", "--policy", "adjudicated-majority", "--note", "final")
    made = Qrels.objects.get()
    assert told == (
        f"Frozen: qrels 1, 3 pairs by adjudicated-majority, sha256 {made.sha256}. "
        "Decided by the tie rule: 1 pair.\n"
    )
    assert made.frozen_by.username == "organizer"
    assert "1\tadjudicated-majority\t3\t" in run("list", "small")
    assert run("text", "small", 1) == "1 0 d1 2\n1 0 d2 1\n1 0 d3 1\n"
    assert run("text", "small", 1, "--output", tmp_path / "qrels.txt") == ""
    assert (tmp_path / "qrels.txt").read_bytes() == store.get_blob(made.path)
    manifest = json.loads(run("manifest", "small", 1))
    assert manifest["adjudications"]["pairs"] == 1
    assert (manifest["version"], manifest["sha256"]) == (1, made.sha256)
    assert run("verify", "small") == "qrels 1: identical\n"
    assert run("verify") == "small: qrels 1: identical\n"
    with pytest.raises(CommandError, match="Missing argument: SLUG"):
        run("list")
    assert Event.objects.filter(code="qrels.frozen", actor=made.frozen_by).exists()


def test_what_differs_from_the_log_ends_with_an_error(agreed):
    run("freeze", "small", "--policy", "majority")
    run("freeze", "small", "--policy", "maximum")
    store.find_blob_path(Qrels.objects.get(version=1).path).write_bytes(b"1 0 d1 3\n")
    with pytest.raises(CommandError, match="qrels 1: DIFFERS"):
        run("verify", "small")
    assert run("verify", "small", 2) == "qrels 2: identical\n"


def test_policies_are_foreseen_side_by_side(agreed):
    rows = list(csv.DictReader(StringIO(run("policies", "small")), delimiter="\t"))
    told = {row["policy"]: (row["pairs"], row["undecided"], row["differ"]) for row in rows}
    assert told["majority"] == ("3", "0", "0")
    assert told["single"] == ("1", "2", "2")
    assert told["adjudicated-single"] == ("2", "1", "2")
    assert told["adjudicated-maximum"] == ("3", "0", "2")
    ties = {row["policy"]: row["by tie rule"] for row in rows}
    assert (ties["majority"], ties["single"], ties["adjudicated-majority"]) == ("2", "-", "1")
    assert rows[0]["grades"] == "0:1 1:2"


def test_a_release_as_of_a_moment_and_what_changed_since(agreed):
    moment = timezone.now()
    Judgment.objects.filter(docno="d3").update(judged_at=moment + timedelta(hours=1))
    run("freeze", "small", "--policy", "maximum", "--as-of", moment.isoformat())
    Judgment.objects.filter(docno="d3").update(judged_at=moment)
    run("freeze", "small", "--policy", "adjudicated-maximum")
    changes = run("compare", "small", 1, 2)
    assert csv_body(changes) == "topic,docno,before,after\n1,d1,3,2\n1,d3,,2\n"
    assert Qrels.objects.get(version=1).as_of == moment


def test_a_moment_without_zone_is_utc(agreed):
    run(
        "freeze",
        "small",
        "--policy",
        "maximum",
        "--as-of",
        f"{timezone.now():%Y-%m-%dT%H:%M:%S.%f}",
    )
    assert Qrels.objects.get().pairs == 3


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("freeze", "small"), "Missing option: --policy"),
        (("freeze", "small", "--policy", "loudest"), "Choose one of: single"),
        (("freeze", "small", "--policy", "single"), "single leaves 2 pairs undecided"),
        (("freeze", "small", "--policy", "automatic:gpt"), "is not an automatic assessor"),
        (
            ("freeze", "small", "--policy", "majority", "--as-of", "noon"),
            "is not a valid timestamp",
        ),
        (
            ("freeze", "small", "--policy", "majority", "--as-of", "2026-13-41T00:00"),
            "not a valid timestamp",
        ),
        (("freeze", "small", "--policy", "majority", "--as", "assessor"), "not an organizer"),
        (("list", "nowhere"), "Unknown campaign: nowhere"),
        (("text", "small", 7), "has no qrels version 7; versions: none"),
        (("compare", "small"), "Specify two qrels versions"),
        (("manifest", "small"), "Specify one qrels version"),
    ],
)
def test_what_cannot_be_done_is_told(agreed, args, told):
    with pytest.raises(CommandError, match=told):
        run(*args)


def test_the_api_releases_by_any_policy_that_can_be_named(agreed, organizer):
    client = api(organizer)
    body = {
        "campaign": "small", "policy": "assessor:assessor2", "confirm": ["judging-open"],
    }  # fmt: skip
    made = client.post(reverse("api-qrels-list"), body, format="json")
    assert (made.status_code, made.data["policy"]) == (201, "assessor:assessor2")
    told = client.post(reverse("api-qrels-list"), body | {"policy": "loudest"}, format="json")
    assert told.status_code == 409
    assert "adjudicated-" in str(told.data)


def test_the_earlier_name_of_freezing_still_works(agreed):
    run("release", "small", "--policy", "majority")
    assert Qrels.objects.get().version == 1
