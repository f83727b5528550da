"""Judgments as files, and back again."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.models import Judgment, Purpose
from judging.services.automatic import create_automatic_assessor
from judging.services.imports import ImportOptions, import_file
from judging.services.judgments import undo_judgment
from tests.csv_reading import csv_rows
from tests.examples import take
from tests.world.judgments import submit_judgment

SAYS = ("kind", "grade", "reason", "comment", "flags", "duplicate_of", "passages", "active_seconds")


@pytest.fixture
def judged(double_plan, campaign, organizer, assessor, assessor2, topic, grade):
    """Two assessors, a revision, a skip, a judgment taken back, marks and odd comments."""
    grade(assessor, "d1", 1)
    passages = [(4, 8, "text"), (None, None, 'a "quote", and ü')]
    grade(
        assessor, "d1", 2, comment="=1+1\nsecond | line", active_seconds=12.5,
        flags=["duplicate"], duplicate_of="d9", passages=passages,
    )  # fmt: skip
    grade(assessor, "d2", 0, comment="+ well")
    grade(assessor2, "d1", 3)
    submit_judgment(
        actor=assessor2, campaign=campaign, topic=topic, docno="d2", reason="language",
        client_uuid="6a1ba1f5-5b0f-4d57-8ae7-1d4c40e9a7a1", comment="Welsh?",
    )  # fmt: skip
    grade(assessor, "d3", 1)
    undo_judgment(actor=assessor, campaign=campaign)
    return campaign


def said(campaign) -> dict[tuple[str, str, str], tuple]:
    """By assessor and pair what stands."""
    found = {}
    rows = Judgment.objects.filter(campaign=campaign, purpose=Purpose.JUDGE).order_by("pk")
    for row in rows.select_related("topic", "assessor"):
        key = (row.assessor.username, row.topic.number, row.docno)
        found[key] = tuple(getattr(row, name) for name in SAYS)
    return {key: value for key, value in found.items() if value[0] != "withdrawn"}


def body(answer) -> bytes:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


FILES = [
    ("judgments-export", ("log", "csv")), ("judgments-export", ("log", "jsonl")),
    ("judgments-export", ("log", "json")), ("judgments-export", ("current", "csv")),
    ("judgments-export", ("current", "jsonl")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args"), take(FILES, 3, 1), ids=str)
def test_every_export_imports_again_to_the_same_judgments(
    judged, elsewhere, organizer, as_user, name, args
):
    answer = as_user(organizer).get(reverse(name, args=["small", *args]))
    data = body(answer)
    assert "attachment" in answer.headers["Content-Disposition"]
    given = {"actor": organizer, "data": data, "file": "export", "options": ImportOptions()}
    assert import_file(campaign=elsewhere, **given).new == 4
    want = said(judged)
    assert said(elsewhere) == want
    assert import_file(campaign=elsewhere, **given).appended == 0
    assert import_file(campaign=judged, **given).appended == 0


def test_the_log_has_every_revision_and_every_field(judged, organizer, as_user):
    client = as_user(organizer)
    text = body(client.get(reverse("judgments-export", args=["small", "log", "csv"]))).decode()
    rows = csv_rows(text)
    assert len(rows) == Judgment.objects.count() == 7
    assert [row["current"] for row in rows] == ["False", "True", "True", "True", "True"] + [
        "False"
    ] * 2
    first = Judgment.objects.order_by("pk")[1]
    assert rows[1]["uuid"] == str(first.client_uuid)
    assert (rows[1]["revision"], rows[1]["rank_shown"], rows[0]["rank_shown"]) == ("2", "", "1")
    assert (rows[1]["comment"], rows[2]["comment"]) == ("'=1+1\nsecond | line", "'+ well")
    records = json.loads(
        body(client.get(reverse("judgments-export", args=["small", "current", "json"])))
    )
    assert [row["revision"] for row in records] == [2, 1, 1, 1]
    assert records[0]["passages"] == [[4, 8, "text"], [None, None, 'a "quote", and ü']]


def test_assessors_get_their_own_judgments_and_nothing_that_tells_of_others(
    judged, assessor, as_user
):
    Judgment.objects.create(
        campaign=judged, topic=judged.topics.get(number="1"), docno="d2", assessor=assessor,
        purpose=Purpose.REPEAT, revision=1, kind="grade", grade=3, source="screen",
    )  # fmt: skip
    client = as_user(assessor)
    for fmt in ("csv", "json", "jsonl"):
        text = (
            body(client.get(reverse("my-judgments-file", args=["small", fmt])))
            .decode()
            .replace("poolbench-csv", "")
        )
        assert text.count("withdrawn") == 1
        for hidden in ("assessor2", "repeat", "order", "rank", "pool", "SECRET", "lease"):
            assert hidden not in text
    assert client.get(reverse("my-judgments-file", args=["small", "xml"])).status_code == 404


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("judgments-export", ("other", "csv")), ("judgments-export", ("log", "xls")),
    ],
)  # fmt: skip
def test_other_files_are_not_there(judged, organizer, as_user, name, args):
    assert as_user(organizer).get(reverse(name, args=["small", *args])).status_code == 404


def test_an_empty_log_is_an_empty_file(campaign, organizer, as_user):
    client = as_user(organizer)
    for fmt, empty in (("jsonl", b""), ("json", b"[]\n")):
        url = reverse("judgments-export", args=["small", "log", fmt])
        assert body(client.get(url)) == empty
    assert client.get(reverse("import-export", args=["small"])).status_code == 200


def test_the_command_writes_the_same_files(judged, organizer, as_user, tmp_path):
    client = as_user(organizer)
    for which, form, name, args in (
        ("log", "csv", "judgments-export", ("log", "csv")),
        ("current", "jsonl", "judgments-export", ("current", "jsonl")),
    ):
        path = tmp_path / form
        call_command(
            "export_judgments", "small", "--which", which, "--format", form, "--output", str(path)
        )
        assert path.read_bytes() == body(client.get(reverse(name, args=["small", *args])))


def test_no_export_of_people_holds_a_word_of_a_model(judged, organizer, as_user):
    model = create_automatic_assessor(actor=organizer, campaign=judged, name="llama")
    given = {"actor": organizer, "campaign": judged, "file": "x"}
    import_file(**given, data=b"1 0 d1 0\n1 0 d4 3\n", options=ImportOptions(automatic=model))
    client = as_user(organizer)
    for name, args in FILES:
        assert b"llama" not in body(client.get(reverse(name, args=["small", *args])))
