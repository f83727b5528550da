"""The notebook of a topic: what assessors write, who reads it, and the typical documents."""

from uuid import uuid4

import pytest
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.queries.account_data import iter_account_data
from judging.models import TopicNote
from judging.queries.notebook import load_notebook
from judging.services import notebook
from judging.services.notebook import remove_note, save_note
from tests.pages import read_page
from tests.world.judgments import submit_judgment


@pytest.fixture
def send(plan, as_user, assessor):
    def act(user=assessor, **fields: object) -> dict[str, object]:
        body = {"uuid": str(uuid4()), "topic": "1", **fields}
        url = reverse("judge-sync", args=["small"])
        answer = as_user(user).post(url, {"acts": [body]}, content_type="application/json")
        (result,) = answer.json()["results"]
        return body | result

    return act


def read_notes(campaign, assessor, topic) -> tuple[list[str], list[str]]:
    book = load_notebook(campaign, assessor, topic)
    return [row.text for row in book.notes], [row.text for row in book.words]


def test_notes_and_words_are_kept_once_and_in_order(send, campaign, assessor, topic):
    first = send(act="note", kind="note", text="<b>Facets</b>: a, b", docno="d1")
    send(act="note", kind="word", text="pippin")
    send(act="note", kind="note", text="only fruit")
    again = send(act="note", kind="note", text="another text", uuid=first["uuid"])
    assert first["ok"]
    assert again["ok"]
    expected = ["<b>Facets</b>: a, b", "only fruit"], ["pippin"]
    assert read_notes(campaign, assessor, topic) == expected
    for _ in range(2):
        assert send(act="note-remove", of=first["uuid"])["ok"]
    send(act="note", kind="note", text="late copy", uuid=first["uuid"])
    assert read_notes(campaign, assessor, topic) == (["only fruit"], ["pippin"])
    assert TopicNote.objects.count() == 3


@pytest.mark.parametrize(
    "fields", [{"text": ""}, {"text": "x" * 2_001}, {"kind": "x"}, {"topic": "none"}, {"uuid": "x"}]
)
def test_an_entry_that_is_none_is_refused(send, fields):
    given = {"act": "note", "kind": "note", "text": "x"} | fields
    assert send(**given)["code"] == "incomplete"
    assert not TopicNote.objects.exists()


def test_another_assessor_neither_reads_nor_removes_it(
    send, campaign, assessor, assessor2, topic, as_user
):
    entry = send(act="note", kind="note", text="my own thoughts")
    send(user=assessor2, act="note-remove", of=entry["uuid"])
    taken = send(user=assessor2, act="note", kind="note", text="x", uuid=entry["uuid"])
    assert taken["code"] == "uuid-taken"
    page = reverse("judge", args=["small", "1"])
    assert "my own thoughts" not in read_page(as_user(assessor2).get(page))
    assert "my own thoughts" in read_page(as_user(assessor).get(page))
    assert read_notes(campaign, assessor, topic)[0] == ["my own thoughts"]


def test_who_may_not_judge_writes_nothing(plan, campaign, organizer, topic):
    entry = {"topic": topic, "uuid": uuid4(), "text": "x", "kind": "note"}
    with pytest.raises(Exception, match="judge"):
        save_note(actor=organizer, **entry)
    with pytest.raises(Exception, match="judge"):
        remove_note(actor=organizer, campaign=campaign, uuid=uuid4())


def test_a_full_notebook_says_so(plan, assessor, topic, monkeypatch):
    monkeypatch.setattr(notebook, "MOST_ENTRIES", 1)
    save_note(actor=assessor, topic=topic, uuid=uuid4(), text="x", kind="note")
    with pytest.raises(ActionRefused, match="at most 1 entries"):
        save_note(actor=assessor, topic=topic, uuid=uuid4(), text="y", kind="note")


def test_typical_documents_are_listed_by_grade(plan, campaign, assessor, topic):
    for docno, grade, flags in (
        ("d1", 2, ["typical"]),
        ("d2", 0, ["typical", "unsure"]),
        ("d3", 1, []),
    ):
        said = {"docno": docno, "grade": grade, "flags": flags}
        submit_judgment(actor=assessor, campaign=campaign, topic=topic, **said)

    def rows() -> list[tuple[str, int | None]]:
        book = load_notebook(campaign, assessor, topic)
        return [(row.docno, row.grade) for row in book.typical]

    assert rows() == [("d2", 0), ("d1", 2)]
    submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno="d2", grade=0)
    assert rows() == [("d1", 2)]


def test_notes_are_part_of_what_the_account_holds(send, assessor):
    send(act="note", kind="note", text="my own thoughts")
    tables = dict(iter_account_data(assessor))
    assert [row["text"] for row in tables["topicnote-assessor"]] == ["my own thoughts"]
