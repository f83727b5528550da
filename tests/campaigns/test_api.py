"""The REST API of campaigns, topics, documents and runs: the same gates as the pages."""

import pytest
from rest_framework.test import APIRequestFactory, force_authenticate

from campaigns.api import resources as api
from campaigns.models import Campaign, Run
from tests.world.files import run_text, upload

SCALE = [
    {"value": 0, "label": "no", "key": "0", "gain": 0},
    {"value": 1, "label": "yes", "key": "y", "gain": 1},
]


@pytest.fixture
def ask():
    """``ask(user, view set, action, data, **query and route)`` gives the response."""

    def send(user, viewset, action, data=None, *, format="json", slug=None, pk=None, **query):  # noqa: A002
        method = "patch" if action == "partial_update" else "get" if data is None else "post"
        request = getattr(APIRequestFactory(), method)(
            "/", query if data is None else data, **({} if data is None else {"format": format})
        )
        force_authenticate(request, user)
        route = {k: v for k, v in (("slug", slug), ("pk", pk)) if v is not None}
        extra = {"parser_classes": [api.MultiPartParser]} if format == "multipart" else {}
        return viewset.as_view({method: action}, **extra)(request, **route)

    return send


def test_campaigns_are_listed_to_members(campaign, organizer, stranger, ask):
    found = ask(organizer, api.CampaignViewSet, "list").data["results"]
    assert [c["slug"] for c in found] == ["small"]
    assert [g["value"] for g in found[0]["grades"]] == [0, 1, 2, 3]
    assert ask(stranger, api.CampaignViewSet, "list").data["results"] == []


def test_a_campaign_is_made_and_changed(organizer, ask):
    data = {"title": "By API", "grades": SCALE, "relevance_level": 1, "max_runs_per_team": 3}
    made = ask(organizer, api.CampaignViewSet, "create", data)
    assert (made.status_code, made.data["slug"]) == (201, "by-api")
    view = api.CampaignViewSet
    changed = ask(organizer, view, "partial_update", {"title": "Renamed"}, slug="by-api")
    assert (changed.status_code, changed.data["title"]) == (200, "Renamed")
    assert changed.data["grades"][1]["label"] == "yes"
    no = ask(organizer, view, "partial_update", {"relevance_level": 9}, slug="by-api")
    assert (no.status_code, no.data["code"]) == (409, "bad-scale")
    assert Campaign.objects.get().relevance_level == 1


def test_topics_and_documents_are_read_by_members(campaign, viewer, stranger, ask):
    for viewset, count in ((api.TopicViewSet, 3), (api.DocumentViewSet, 9)):
        assert ask(viewer, viewset, "list", campaign="small").data["count"] == count
        assert ask(viewer, viewset, "list", campaign="other").data["count"] == 0
        assert ask(stranger, viewset, "list").data["count"] == 0
    one = ask(viewer, api.DocumentViewSet, "list", docno="d4").data["results"]
    assert [d["docno"] for d in one] == ["d4"]


def test_imports_answer_with_a_count_or_with_faults(campaign, organizer, ask):
    def bring(data):
        form = {"campaign": "small", "file": upload(data)}
        return ask(organizer, api.TopicViewSet, "import_topics", form, format="multipart")

    assert bring(b"8\teighth\n").data == {"new": 1}
    bad = bring(b"8\tother\n")
    assert (bad.status_code, bad.data["counts"]) == (422, {"ET20": 1})


def test_a_run_is_sent_and_comes_back_checked(campaign, participant, team, ask):
    def send(**fields):
        form = {"campaign": "small", "file": upload(run_text(**fields))}
        return ask(participant, api.RunViewSet, "create", form, format="multipart")

    good = send()
    assert (good.status_code, good.data["state"], good.data["team"]) == (201, "accepted", "Alpha")
    bad = send(tag="second", docnos=["zz"])
    assert bad.data["state"] == "rejected"
    assert bad.data["report"]["counts"] == {"E10": 3}
    back = ask(participant, api.RunViewSet, "file", pk=good.data["id"])
    assert back.content == run_text()
    gone = ask(participant, api.RunViewSet, "withdraw", {}, format="multipart", pk=good.data["id"])
    assert gone.data["state"] == "withdrawn"


def test_a_run_for_another_team_is_not_taken(campaign, participant, other_team, ask):
    form = {"campaign": "small", "file": upload(run_text()), "team": "Beta"}
    answer = ask(participant, api.RunViewSet, "create", form, format="multipart")
    assert answer.status_code == 404
    assert not Run.objects.exists()
