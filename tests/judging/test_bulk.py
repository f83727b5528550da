"""Many judgments at once: odd texts as they are, slots that another takes meanwhile, UUIDs."""

import json
from uuid import RFC_4122, UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from campaigns.services.rows import insert_rows
from judging.models import Judgment, Slot
from judging.queries.invariants import list_violations
from judging.services import slot_table
from judging.services.imports import ImportOptions, import_file, import_judgments
from judging.services.judgments import claim_next
from judging.services.log_rows import append_copies, make_ordered_uuids, make_random_uuids

COMMENTS = ('say "no"', "two\nlines\r\nand\ttab", "\\N", "\\.", "NULL", "a,b", "é\\", "'", " x")


def test_odd_texts_are_written_as_they_are(plan, campaign, organizer, assessor):
    pairs = [(t, d) for t in ("1", "2") for d in ("d1", "d2", "d3", "d4", "d5")]
    rows = [
        {"topic": t, "docno": d, "grade": n % 3, "comment": comment, "flags": ["broken"]}
        for n, ((t, d), comment) in enumerate(zip(pairs, COMMENTS, strict=False))
    ]
    rows[0] |= {"passages": [[0, 4, 'a "b"\\']], "active_seconds": 2.5}
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    options = ImportOptions(assessor=assessor)
    given = {"actor": organizer, "campaign": campaign, "data": data, "file": "x.jsonl"}
    assert import_file(**given, options=options).new == len(rows)
    read = list(Judgment.objects.order_by("pk"))
    assert [row.comment for row in read] == [comment.strip() for comment in COMMENTS]
    first, second = read[:2]
    assert (first.passages, first.active_seconds) == ([[0, 4, 'a "b"\\']], 2.5)
    assert (second.passages, second.active_seconds) == ([], None)
    assert (first.flags, first.reason, first.unit, first.third) == (["broken"], "", None, False)
    assert import_file(**given, options=options).unchanged == len(rows)


def test_a_slot_that_another_takes_meanwhile_is_left_to_them(
    double_plan, campaign, organizer, assessor, assessor2, topic, monkeypatch
):
    """Between reading the slots and taking them, another checks one out."""
    read, taken = slot_table.read_slots, []

    def read_and_be_overtaken(*args):
        found = read(*args)
        if not taken:
            taken.append(claim_next(actor=assessor2, campaign=campaign, topic=topic))
        return found

    monkeypatch.setattr(slot_table, "read_slots", read_and_be_overtaken)
    docnos = list(double_plan.pool.items.filter(topic=topic).values_list("docno", flat=True))
    rows = [(topic.number, docno, 1) for docno in docnos]
    args = {"actor": organizer, "campaign": campaign, "assessor": assessor}
    assert import_judgments(**args, rows=rows) == len(rows)
    held = Slot.objects.get(pk=taken[0].pk)
    assert (held.state, held.assessor) == ("leased", assessor2)
    filled = Judgment.objects.get(docno=held.docno).slot
    assert (filled.k, filled.assessor) == (1 - held.k, assessor)
    assert not any(count for _, count in list_violations(campaign))


def test_a_foreign_key_that_does_not_exist_is_refused_at_once(plan, monkeypatch):
    monkeypatch.setattr("campaigns.services.rows.AT_ONCE", 2)
    item, topic = plan.slots.values_list("item", "topic").first()
    names = ("plan_id", "item_id", "topic_id", "purpose", "k", "position", "state", "token")
    uuids = make_ordered_uuids(9)
    rows = [(plan.pk, item, topic, "judge", k, 0, "open", next(uuids)) for k in (5, 6, 7)]
    assert insert_rows(Slot, names, rows) == 3
    assert plan.slots.filter(item=item, k__gte=5, reserved_for=None).count() == 3
    nothing = [(plan.pk, -1, topic, "judge", 0, 0, "open", next(uuids))]
    with pytest.raises(IntegrityError), transaction.atomic():  # noqa: PT012 (SQLite checks later)
        insert_rows(Slot, names, nothing)
        connection.check_constraints()


def test_ordered_uuids_are_distinct_and_ascend():
    made = list(make_ordered_uuids(300_000))
    assert made == sorted(made)
    assert len({*made, *make_ordered_uuids(1_000)}) == 301_000
    assert {len(each) for each in made} == {32}
    assert {each[12] for each in made} == {"7"}


def test_a_copy_has_all_of_its_judgment_but_times(campaign, topic, assessor, organizer):
    """A judgment with a value in every field, logged again without a slot."""
    lists = {"flags": ["broken"], "passages": [[0, 4, 'a "b"\\']]}
    texts = {"reason": "", "comment": "", "duplicate_of": "d2", "document_sha256": "f" * 64}
    numbers = {"guideline_version": 3, "erratum": 2, "third": True, "grade": 1, "revision": 4}
    former = Judgment.objects.create(
        campaign=campaign, topic=topic, docno="d1", assessor=assessor, kind="grade",
        source="crowd", lease=uuid4(), active_seconds=2.5, rank_shown=7,
        served_at=timezone.now(), **lists, **texts, **numbers,
    )  # fmt: skip
    append_copies([(former, None)])
    copy = Judgment.objects.latest("pk")
    own = {
        "id",
        "revision",
        "client_uuid",
        "judged_at",
        "active_seconds",
        "rank_shown",
        "served_at",
    }
    names = [field.attname for field in Judgment._meta.concrete_fields if field.name not in own]
    assert [getattr(copy, name) for name in names] == [getattr(former, name) for name in names]
    assert (copy.revision, copy.active_seconds, copy.rank_shown, copy.served_at) == (5, *[None] * 3)
    append_copies([(copy, None)], source="import")
    last = Judgment.objects.latest("pk")
    assert (last.source, last.lease, last.flags, last.revision) == ("import", None, ["broken"], 6)


def test_a_key_has_an_index_and_a_constraint_only_where_its_field_says_so(db):
    """Migrations on SQLite drop an index in a way of their own."""
    for model in (Judgment, Slot):
        with connection.cursor() as cursor:
            table = model._meta.db_table
            found = connection.introspection.get_constraints(cursor, table).values()
        indexed = {each["columns"][0] for each in found if each["index"] and not each["unique"]
                   and len(each["columns"]) == 1}  # fmt: skip
        partial = {index.fields[0] for index in model._meta.indexes if index.condition}
        keys = [field for field in model._meta.concrete_fields if field.remote_field]
        wanted = {key.column for key in keys if key.db_index or key.name in partial}
        assert indexed & {key.column for key in keys} == wanted
        if connection.vendor == "postgresql":
            checked = {each["columns"][0] for each in found if each["foreign_key"]}
            assert checked == {key.column for key in keys if key.db_constraint}


def test_random_uuids_are_of_version_4_and_differ():
    made = [UUID(each) for each in make_random_uuids(2_000)]
    assert len(set(made)) == 2_000
    assert {(each.version, each.variant) for each in made} == {(4, RFC_4122)}
    ones = sum(each.int.bit_count() for each in made) / len(made)
    assert 62.5 < ones < 63.5  # half of 122, one of the version, one of the variant
    assert make_random_uuids(0) == []
