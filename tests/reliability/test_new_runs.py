"""The judged@k of a run on its own page, beside that of the contributing runs."""

from dataclasses import replace

import pytest
from django.utils import timezone

from campaigns.models import Run, Snapshot
from campaigns.models.history import name_snapshot
from evaluation.services.release import release_scores
from poolbench.plain_data import to_plain
from poolbench.pooling.spec import depth_spec
from pooling.services.freeze import freeze_pool
from reliability.queries.new_runs import describe_judged_share, note_share
from tests.pages import read_page
from tests.poolbench.reliability.verdicts.test_rules import FAIR, TEAMS, left

REPORT = replace(FAIR, **left(TEAMS, judged=[0.82] * 6), judged={"contributed": 0.97})
"""Six teams; left out, .82 of what their runs have first is judged."""


@pytest.mark.parametrize(
    ("tag", "share", "says", "is_warning"),
    [
        (
            "contributed",
            0.97,
            "is 0.97, of nine of ten contributing runs 0.97 or more (now)",
            False,
        ),
        ("new", 0.82, "is 0.82 (now): it did not contribute to the pool, but as much", False),
        ("new", 0.8199, "is only 0.8199 (now): it did not contribute to the pool, and", True),
    ],
)
def test_a_new_run_is_compared_with_contributing_ones(tag, share, says, is_warning):
    note = note_share(REPORT, Run(tag=tag), share, "now")
    assert says in note.text
    assert note.is_warning is is_warning


def test_of_two_teams_no_new_run_learns_whom_it_is_like():
    few = replace(REPORT, **left(TEAMS, places=[0, 0]))
    assert not note_share(few, Run(tag="new"), 0.1, "now").is_warning


@pytest.fixture
def stored(campaign, organizer, alpha, score_set):
    """A pool of alpha, and figures in which beta did not contribute."""
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[alpha])

    def store(**others):
        report = replace(REPORT, judged={alpha.tag: 0.97}, others=others)
        data = {"inputs": "", "data": to_plain(report), "computed_at": timezone.now()}
        names = {"campaign": campaign, "name": name_snapshot("collection")}
        Snapshot.objects.update_or_create(**names, defaults=data)

    return store


def test_the_page_of_a_late_run_says_how_much_of_it_is_judged(
    stored, organizer, rival, beta, score_set, as_user
):
    stored(**{beta.tag: 0.4})
    told = "Judged@10 of this run is only 0.40"
    page = read_page(as_user(organizer).get(beta.get_absolute_url()))
    assert f'<p class="notice warning">{told}' in page
    client = as_user(rival)
    assert told not in read_page(client.get(beta.get_absolute_url()))
    release_scores(actor=organizer, score_set=score_set)
    assert told in read_page(client.get(beta.get_absolute_url()))


def test_figures_older_than_the_run_are_computed_again(stored, organizer, campaign, beta):
    stored()
    (note,) = describe_judged_share(organizer, beta)
    assert "being computed" in note.text
    assert campaign.jobs.filter(kind="campaigns.snapshot").count() == 1


def test_figures_of_an_earlier_run_of_the_tag_are_not_shown(stored, organizer, beta):
    stored(**{beta.tag: 0.4})
    beta.checked_at = timezone.now()
    (note,) = describe_judged_share(organizer, beta)
    assert "being computed" in note.text


def test_withdrawn_runs_have_no_note(stored, organizer, beta):
    stored(**{beta.tag: 0.4})
    beta.state = Run.State.WITHDRAWN
    assert list(describe_judged_share(organizer, beta)) == []
