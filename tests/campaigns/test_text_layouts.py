"""The organizer's default of how plain text is laid out: form, API, import, and the pages."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from campaigns.api.resources import CampaignViewSet
from campaigns.models import Campaign, Document
from campaigns.services.campaigns import update_campaign
from tests.campaigns.test_pages import settings_form
from tests.judging.conftest import call  # noqa: F401
from tests.pages import read_page
from tests.poolbench.texts.test_text_layout import CODE, LONG_LINES


@pytest.fixture
def texts(campaign) -> Campaign:
    for docno, body in (("code", CODE), ("prose", LONG_LINES)):
        Document.objects.create(campaign=campaign, docno=docno, body=body, sha256=docno)
    return campaign


def layouts(client) -> list[str]:
    found = []
    for docno in ("code", "prose"):
        page = client.get(reverse("document", args=["small"]), {"docno": docno})
        found.append(read_page(page).split("document-text layout-")[1].split('"')[0])
    return found


def test_each_document_has_its_own_layout_unless_the_organizer_sets_one(texts, organizer, as_user):
    client = as_user(organizer)
    assert layouts(client) == ["columns", "prose"]
    update_campaign(actor=organizer, campaign=texts, text_layout="written")
    assert layouts(client) == ["columns", "columns"]
    update_campaign(actor=organizer, campaign=texts, text_layout="wrapped")
    assert layouts(client) == ["prose", "prose"]


def test_the_settings_form_stores_it_and_keeps_it_if_not_sent(campaign, organizer, as_user):
    client, url = as_user(organizer), reverse("campaign-settings", args=["small"])
    assert "Layout of plain text" in read_page(client.get(url))
    for sent in ({"text_layout": "written"}, {}):
        assert client.post(url, settings_form(**sent)).status_code == 302
        campaign.refresh_from_db()
        assert campaign.text_layout == "written"
    assert client.post(url, settings_form(text_layout="sideways")).status_code == 200


def test_the_import_of_documents_can_set_it(campaign, organizer, as_user):
    client, url = as_user(organizer), reverse("documents-import", args=["small"])
    assert "Layout of plain text" in read_page(client.get(url))
    body = b'{"docno": "n1", "title": "T", "body": "A text."}\n'
    file = SimpleUploadedFile("docs.jsonl", body)
    answer = client.post(url, {"file": file, "text_layout": "written"})
    assert answer.status_code == 302, read_page(answer)
    campaign.refresh_from_db()
    assert campaign.text_layout == "written"
    assert "Layout of plain text" not in read_page(
        client.get(reverse("topics-import", args=["small"]))
    )


def test_the_api_reads_and_changes_it(campaign, organizer, call):  # noqa: F811
    kwargs = {"slug": "small"}
    status, answer = call(CampaignViewSet, organizer, "retrieve", "get", **kwargs)
    assert (status, answer["text_layout"]) == (200, "automatic")
    change = {"text_layout": "wrapped"}
    status, answer = call(CampaignViewSet, organizer, "partial_update", "patch", change, **kwargs)
    assert (status, answer["text_layout"]) == (200, "wrapped")
