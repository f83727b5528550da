"""What a newcomer reads: the overview by role, faults with their fixes, ways back."""

import re

import pytest
from django.template.loader import render_to_string

from campaigns.errors import ActionRefused
from poolbench.files.faults import FaultReport
from tests.campaigns.test_pages import settings_form
from tests.confirming import confirm
from tests.pages import read_page
from tests.world.files import checked_run, run_form


def test_cures_stand_with_their_places_when_they_differ():
    report = FaultReport("a.run")
    report.add("E09", "No such topic.", "Did you mean 001?", line=6, excerpt="1")
    report.add("E09", "No such topic.", "Remove these lines.", line=7, excerpt="999")
    report.add("E14", "No number.", "Write 1.5.", line=8)
    report.add("E14", "No number.", "Write 1.5.", line=9)
    page = render_to_string("partials/faults.html", {"report": report})
    topics, scores = page.split('id="fault-E14"')
    assert topics.index("Did you mean 001?") > topics.index("</thead>")
    assert topics.count("Remove these lines.") == 1
    assert scores.count("Write 1.5.") == 1
    assert scores.index("Write 1.5.") < scores.index("</thead>")


def test_the_overview_tells_only_organizers_who_takes_part(
    campaign, organizer, participant, assessor, viewer, as_user
):
    page = read_page(as_user(organizer).get("/c/small/"))
    assert re.search(r"\d teams?", page)
    assert "How good is it" in page
    assert "<dt>Participant</dt>" in page
    for user in (participant, assessor, viewer):
        page = read_page(as_user(user).get("/c/small/"))
        assert not re.search(r"\d teams?", page)
        assert "How good is it" not in page
        assert not re.search("<dt>Participants?</dt>", page)
        assert "<dt>Assessor" not in page
        assert "<dt>Organizer</dt>" in page


def test_settings_take_measures_by_name(campaign, organizer, as_user):
    client = as_user(organizer)
    form = settings_form(measures="map  ndcg_cut_10\nP_5(list=condensed, rel=2)")
    assert client.post("/c/small/setup/", form).status_code == 302
    campaign.refresh_from_db()
    assert campaign.measures == ["map", "ndcg_cut_10", "P_5(list=condensed, rel=2)"]
    shown = read_page(client.get("/c/small/setup/"))
    assert 'value="map ndcg_cut_10 P_5(list=condensed, rel=2)"' in shown
    form["measures"] = "map MAPP nonsense"
    page = read_page(client.post("/c/small/setup/", form))
    assert "nonsense: unknown measure" in page
    assert "MAPP: unknown measure" in page
    form["measures"] = ""
    assert client.post("/c/small/setup/", form).status_code == 302
    campaign.refresh_from_db()
    assert campaign.measures == []


def test_a_run_that_is_gone_is_not_withdrawn_or_replaced_again(
    campaign, participant, team, as_user
):
    client, run = as_user(participant), checked_run(participant, campaign, team)
    stale = f"/c/small/runs/upload/?replaces={run.pk}"
    assert "is no longer accepted" not in read_page(client.get(stale))
    assert client.get(f"/c/small/runs/{run.pk}/withdraw/").status_code == 200
    assert confirm(client, f"/c/small/runs/{run.pk}/withdraw/").status_code == 302
    assert client.get(f"/c/small/runs/{run.pk}/withdraw/").url == f"/c/small/runs/{run.pk}/"
    assert "is no longer accepted" in read_page(client.get(stale))


def test_an_address_for_posts_explains_itself_and_pages_answer_head(campaign, organizer, as_user):
    client = as_user(organizer)
    answer = client.get("/c/small/people/invite/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "only accepts form submissions" in read_page(answer)
    assert client.head("/c/small/").status_code == 200
    assert client.head("/health/").status_code == 200


def test_a_campaign_without_topics_takes_no_run(campaign, participant, team, as_user):
    campaign.topics.all().delete()
    client = as_user(participant)
    assert "No topics yet" in read_page(client.get("/c/small/runs/upload/"))
    assert client.post("/c/small/runs/upload/", run_form(team)).status_code == 422
    with pytest.raises(ActionRefused, match="before topics are imported"):
        checked_run(participant, campaign, team)
    assert not campaign.runs.exists()
