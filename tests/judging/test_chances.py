"""Chances per grade of automatic assessors: by file and by API, into the inputs of estimates."""

from uuid import uuid4

import numpy as np
import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from judging.models import Judgment
from judging.services.automatic import create_automatic_assessor
from judging.services.chances import import_chances
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.machines import match_chances
from poolbench.files.faults import InvalidFile
from poolbench.reading.reader import DocnoArray


@pytest.fixture
def model(campaign, organizer, pool):
    return create_automatic_assessor(actor=organizer, campaign=campaign, name="llama3")


def rows() -> list[tuple[str, int, list[float] | None]]:
    return list(Judgment.objects.order_by("pk").values_list("docno", "grade", "chances"))


def test_a_file_of_chances(model, campaign, tmp_path):
    file = tmp_path / "chances.txt"
    file.write_text("1 d1 .1 .2 .3 .4\n2 d5 .4 .4 .1 .1\n")
    given = ("import_judgments", "small", str(file))
    call_command(*given, "--automatic", "llama3", "--format", "chances")
    call_command(*given, "--automatic", "llama3", "--format", "chances")  # changes nothing
    assert rows() == [("d1", 3, [0.1, 0.2, 0.3, 0.4]), ("d5", 0, [0.4, 0.4, 0.1, 0.1])]


def test_faults_name_their_lines(model, campaign, organizer):
    data = b"# a comment\n1 d1 1 0 0 0\n9 d1 1 0 0 0\n1 nowhere 1 0 0 0\n"
    with pytest.raises(InvalidFile) as caught:
        import_chances(actor=organizer, campaign=campaign, automatic=model, data=data, file="c.txt")
    faults = {(fault.code, fault.line) for fault in caught.value.report.faults}
    assert faults == {("EJ01", 3), ("EJ12", 4)}
    assert not rows()


def test_chances_by_the_api(model, organizer):
    url = f"/api/automatic/{model.pk}/judgments/"
    send = {"topic": "1", "docno": "d1", "client_uuid": str(uuid4())}
    client = APIClient()
    client.force_authenticate(organizer)
    bad = client.post(url, {"judgments": [send | {"chances": [0.5, 0.5]}]}, format="json")
    assert (bad.status_code, bad.json()["faults"][0]["code"]) == (422, "EH02")
    assert client.post(url, {"judgments": [send]}, format="json").status_code == 400
    chances = [0.1, 0.6, 0.2, 0.1]
    good = client.post(url, {"judgments": [send | {"chances": chances}]}, format="json")
    assert good.status_code == 200
    assert rows() == [("d1", 1, chances)]


def test_chances_by_pair_of_a_frame():
    none = np.empty(0, np.int64)
    docnos = DocnoArray.from_ids(["a", "b", "c"])
    frame = PoolFrame((), ("1", "2"), np.array([0, 2, 3]), docnos, none, none, none)
    found = match_chances(frame, [("1", "b", 1, [0.2, 0.8]), ("2", "c", 0, None)])
    np.testing.assert_array_equal(found, [[np.nan, np.nan], [0.2, 0.8], [1, 0]])
    assert match_chances(frame, [("1", "a", 1, None)]) is None
