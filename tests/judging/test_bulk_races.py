"""An import and a judging assessor at the same time: nothing is lost, nothing is there twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction  # noqa: F401

from campaigns.services.rows import insert_rows
from judging.models import Judgment, Slot
from judging.services import bulk
from judging.services.imports import import_judgments
from tests.judging.test_locks import WAIT, apart
from tests.world.judgments import submit_judgment


def test_rows_that_are_there_already_are_an_integrity_error(plan):
    slot = plan.slots.first()
    names = ("plan_id", "item_id", "topic_id", "purpose", "k", "position", "state", "token")
    row = (plan.pk, slot.item_id, slot.topic_id, "judge", slot.k, 0, "open", slot.token.hex)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_rows(Slot, names, [row])


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer")
def test_an_import_is_tried_again_if_its_assessor_judges_meanwhile(
    plan, campaign, organizer, assessor, topic, monkeypatch
):
    read, judged = bulk.map_latest_revisions, []
    judge = apart(
        lambda: submit_judgment(actor=assessor, campaign=campaign, topic=topic, docno="d1", grade=0)
    )

    def read_and_be_overtaken(*args):
        found = read(*args)
        if not judged:
            with ThreadPoolExecutor(1) as other:
                judged.append(other.submit(judge).result(WAIT))
        return found

    monkeypatch.setattr(bulk, "map_latest_revisions", read_and_be_overtaken)
    given = {"actor": organizer, "campaign": campaign, "assessor": assessor}
    assert import_judgments(**given, rows=[(topic.number, "d1", 1)]) == 1
    log = Judgment.objects.order_by("pk").values_list("revision", "grade")
    assert list(log) == [(1, 0), (2, 1)]
