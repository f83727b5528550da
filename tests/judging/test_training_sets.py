"""Training pairs: brought in, taken from agreement, fixed once answered, told by assessor."""

from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Event
from judging.queries.training import list_training_pairs, list_training_progress
from judging.services.training import (
    add_training,
    answer_training_pair,
    read_example_pairs,
    remove_training,
)
from poolbench.files.faults import InvalidFile
from poolbench.judging.training_file import TrainingRow, read_training

SCALE = {0, 1, 2, 3}


def codes(text: str) -> list[str]:
    with pytest.raises(InvalidFile) as bad:
        read_training(text, topics={"1", "2"}, scale=SCALE)
    return sorted(bad.value.report.counts.elements())


def test_tables_with_tabs_or_commas_and_with_a_head_are_read():
    rows = [TrainingRow("1", "d1", 2, 'says "yes", twice'), TrainingRow("2", "NA", 0)]
    tabs = 'topic\tdocno\tgrade\texplanation\n1\td1\t2\t"says ""yes"", twice"\n\n2\tNA\t0\t\n'
    commas = '1,d1,2,"says ""yes"", twice"\r\n2,NA,0\r\n'
    assert read_training(tabs, topics={"1", "2"}, scale=SCALE) == rows
    assert read_training("\ufeff" + commas, topics={"1", "2"}, scale=SCALE) == rows

    assert read_training('1, d1, 2, "so, and so"\n', topics={"1"}, scale=SCALE) == [
        TrainingRow("1", "d1", 2, "so, and so")
    ]


def test_everything_wrong_is_told_at_once():
    text = "1,d1\n9,d1,1\n1,d1,7\n1,d2,x\n1,d3,1\n1,d3,2\n1,,1\n1,d4,1," + "x" * 2001 + "\n"
    assert codes(text) == ["EY01", "EY02", "EY03", "EY03", "EY04", "EY05", "EY05"]
    assert codes('1,d1,1,"open\n') == ["EY01"]
    assert codes("topic,docno,grade\n") == codes("") == ["EY06"]


def bring_training(actor, campaign, text):
    rows = read_example_pairs(campaign, text)
    return add_training(actor=actor, campaign=campaign, rows=rows)


def test_pairs_are_added_in_order_and_all_or_none(campaign, organizer, assessor):
    def bring(text):
        return bring_training(organizer, campaign, text)

    assert bring("1,d1,2,clear\n2,d2,0,no\n") == 2
    assert bring("1,d3,1,hm\n") == 1
    assert [(p.docno, p.position) for p in campaign.training.all()] == [
        ("d1", 0), ("d2", 1), ("d3", 2),
    ]  # fmt: skip
    with pytest.raises(InvalidFile) as bad:
        bring("1,d4,1,fine\n1,d1,1,again\n1,nowhere,1,\n")
    assert bad.value.report.counts == {"EY07": 1, "EY08": 1}
    assert campaign.training.count() == 3
    with pytest.raises(PermissionDenied):
        bring_training(assessor, campaign, "1,d4,1,\n")
    assert Event.objects.filter(code="training.added").count() == 2


def test_the_training_is_fixed_once_somebody_answered(campaign, organizer, assessor):
    bring_training(organizer, campaign, "1,d1,2,clear\n1,d2,0,no\n")
    first, second = campaign.training.all()
    assert remove_training(actor=organizer, campaign=campaign, pairs=[second.pk]) == 1
    answer_training_pair(
        actor=assessor, campaign=campaign, pair=first, grade=0, client_uuid=uuid4()
    )
    for act in (
        lambda: bring_training(organizer, campaign, "1,d3,1,\n"),
        lambda: remove_training(actor=organizer, campaign=campaign, pairs=[first.pk]),
    ):
        with pytest.raises(ActionRefused, match="training set is locked"):
            act()
    assert campaign.training.get().grade == 2


def test_who_has_finished_and_how_many_were_right(campaign, organizer, assessor, assessor2):
    bring_training(organizer, campaign, "1,d1,2,\n1,d2,0,\n")
    first, second = campaign.training.all()
    answer_training_pair(
        actor=assessor, campaign=campaign, pair=first, grade=2, client_uuid=uuid4()
    )
    answer_training_pair(
        actor=assessor, campaign=campaign, pair=second, grade=3, client_uuid=uuid4()
    )
    one, two = list_training_progress(campaign)
    assert (one.answered, one.right, one.total, one.off) == (2, 1, 2, 1.5)
    assert (one.finished, one.percent) == (True, 50)
    assert (two.answered, two.off, two.percent, two.finished) == (0, None, None, False)
    told = list_training_pairs(campaign)
    assert [(k.answers, k.right, k.total) for k in told] == [([(2, 1)], 1, 1), ([(3, 1)], 0, 1)]


def test_the_page_brings_picks_and_removes(
    double_plan, campaign, organizer, assessor, assessor2, grade, as_user, topic
):
    client, url = as_user(organizer), reverse("training-sets", args=["small"])
    bad = client.post(url, {"text": "9,d1,1\n"})
    assert (bad.status_code, "EY02" in bad.content.decode()) == (422, True)
    file = SimpleUploadedFile("t.csv", b"2,d2,0,not at all\n")
    assert client.post(url, {"upload": file}).status_code == 302
    latin = client.post(url, {"upload": SimpleUploadedFile("t.csv", b"2,d2,0,\xe9\n")})
    assert "t.csv is not UTF-8." in latin.content.decode()
    for user in (assessor, assessor2):
        grade(user, "d1", 3)
    assert f'value="{topic.pk} d1"' in client.get(url).content.decode()
    client.post(url, {"pick": [f"{topic.pk} d1"]})
    pair = campaign.training.get(docno="d1")
    assert (pair.grade, pair.explanation) == (3, "2 assessors gave this grade.")
    assert "No pairs selected" in client.post(url, {"pick": ["0 d1"]}).content.decode()
    # More digits than a column or Python takes are no pair.
    client.post(url, {"remove": [pair.pk, "9" * 30, "9" * 5000]})
    assert [p.docno for p in campaign.training.all()] == ["d2"]
    answer_training_pair(
        actor=assessor, campaign=campaign, pair=campaign.training.get(), grade=0,
        client_uuid=uuid4(),
    )  # fmt: skip
    page = client.get(url).content.decode()
    assert "The training set is locked" in page
    assert "1 of 1" in page
    assert 'name="text"' not in page
