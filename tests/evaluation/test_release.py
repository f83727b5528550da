from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied

from evaluation.services.release import release_scores
from tests.confirming import refusal


def test_release_scores_is_said_once_and_logged(organizer, campaign, score_set):
    released = release_scores(actor=organizer, score_set=score_set)
    assert released.released_at is not None
    assert released.released_by == organizer
    assert campaign.events.filter(code="scores.released").count() == 1


def test_release_scores_cannot_be_repeated(organizer, score_set):
    first = release_scores(actor=organizer, score_set=score_set).released_at
    with refusal("already-released"):
        release_scores(actor=organizer, score_set=score_set)
    score_set.refresh_from_db()
    assert score_set.released_at == first


def test_only_organizers_release(participant, assessor, viewer, score_set):
    for person in (participant, assessor, viewer):
        with pytest.raises(PermissionDenied):
            release_scores(actor=person, score_set=score_set)
    score_set.refresh_from_db()
    assert score_set.released_at is None
