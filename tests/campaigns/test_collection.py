"""Importing topics and documents: whole or not at all."""

import gzip

import pytest
from django.core.exceptions import PermissionDenied

from campaigns.services.collection import delete_all, import_documents, import_topics
from poolbench.files.faults import InvalidFile
from tests.refusals import refusing
from tests.world.files import checked_run

TOPICS = b"4\tfourth\n5\tfifth\n"
DOCUMENTS = b'{"_id": "NA", "title": "t", "text": "x"}\n{"_id": "001", "text": "y"}\n'


def test_topics_are_added_in_the_files_order(campaign, organizer):
    assert import_topics(actor=organizer, campaign=campaign, data=TOPICS, file="t.tsv") == 2
    assert [t.number for t in campaign.topics.all()] == ["1", "2", "3", "4", "5"]


def test_gzip_is_told_by_its_bytes(campaign, organizer):
    data = gzip.compress(DOCUMENTS)
    assert import_documents(actor=organizer, campaign=campaign, data=data) == 2
    assert set(campaign.documents.values_list("docno", flat=True)) > {"NA", "001"}


def test_import_again_is_harmless(campaign, organizer):
    import_topics(actor=organizer, campaign=campaign, data=TOPICS)
    import_documents(actor=organizer, campaign=campaign, data=DOCUMENTS)
    assert import_topics(actor=organizer, campaign=campaign, data=TOPICS) == 0
    more = DOCUMENTS + b'{"_id": "new", "text": "z"}\n'
    assert import_documents(actor=organizer, campaign=campaign, data=more) == 1


def test_a_changed_text_refuses_the_whole_file(campaign, organizer):
    import_topics(actor=organizer, campaign=campaign, data=TOPICS)
    import_documents(actor=organizer, campaign=campaign, data=DOCUMENTS)
    with pytest.raises(InvalidFile) as caught:
        import_topics(actor=organizer, campaign=campaign, data=b"9\tninth\n4\tother\n5\tmore\n")
    assert caught.value.report.counts == {"ET20": 2}
    changed = b'{"_id": "NA", "text": "other"}\n{"_id": "new", "text": "z"}\n'
    with pytest.raises(InvalidFile) as caught:
        import_documents(actor=organizer, campaign=campaign, data=changed)
    assert caught.value.report.counts == {"ED20": 1}
    assert not campaign.topics.filter(number="9").exists()
    assert not campaign.documents.filter(docno="new").exists()


def test_a_bad_file_adds_nothing(campaign, organizer):
    before = campaign.documents.count()
    with pytest.raises(InvalidFile):
        import_documents(actor=organizer, campaign=campaign, data=DOCUMENTS + b"{broken\n")
    with pytest.raises(InvalidFile):
        import_topics(actor=organizer, campaign=campaign, data=b"")
    assert campaign.documents.count() == before


def test_an_import_is_bounded(campaign, organizer, settings):
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 1000
    bomb = gzip.compress(b"9\t" + b"x" * 100_000)
    for data, code in ((bomb, "E02"), (b"9\t" + b"x" * 2000, "E15")):
        with pytest.raises(InvalidFile) as caught:
            import_topics(actor=organizer, campaign=campaign, data=data)
        assert set(caught.value.report.counts) == {code}


def test_topics_go_until_something_refers_to_them(campaign, organizer, team):
    assert delete_all(actor=organizer, campaign=campaign, noun="topics") == 3
    import_topics(actor=organizer, campaign=campaign, data=b"1\tone\n2\ttwo\n3\tthree\n")
    checked_run(organizer, campaign, team)
    with refusing("topics-in-use"):
        delete_all(actor=organizer, campaign=campaign, noun="topics")
    assert campaign.topics.count() == 3


def test_only_organizers_import(campaign, assessor):
    for act in (import_topics, import_documents):
        with pytest.raises(PermissionDenied):
            act(actor=assessor, campaign=campaign, data=TOPICS)
    with pytest.raises(PermissionDenied):
        delete_all(actor=assessor, campaign=campaign, noun="topics")
