"""What a newcomer reads: the overview by role, faults with their cures, ways back."""

from __future__ import annotations

from django.template.loader import render_to_string

from campaigns.core.faults import FaultReport


def test_cures_stand_with_their_places_when_they_differ():
    report = FaultReport("a.run")
    report.add("E09", "No such topic.", "Did you mean 001?", line=6, excerpt="1")
    report.add("E09", "No such topic.", "Remove these lines.", line=7, excerpt="999")
    report.add("E14", "No number.", "Write 1.5.", line=8)
    report.add("E14", "No number.", "Write 1.5.", line=9)
    page = render_to_string("partials/faults.html", {"report": report})
    topics, scores = page.split('id="fault-E14"')
    assert topics.index("Did you mean 001?") > topics.index("<tbody>")
    assert topics.count("Remove these lines.") == 1
    assert scores.count("Write 1.5.") == 1
    assert scores.index("Write 1.5.") < scores.index("<tbody>")


def test_the_overview_tells_only_organizers_who_takes_part(
    campaign, organizer, participant, assessor, viewer, as_user
):
    page = as_user(organizer).get("/c/small/").content.decode()
    assert "<dt>Teams</dt>" in page and "<dt>Participant</dt>" in page
    for user in (participant, assessor, viewer):
        page = as_user(user).get("/c/small/").content.decode()
        assert "<dt>Teams</dt>" not in page
        assert "<dt>Participant" not in page and "<dt>Assessor" not in page
        assert "<dt>Organizer</dt>" in page
