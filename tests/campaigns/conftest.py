"""Mails to the people of the small campaign."""

import pytest

from campaigns.models import Mail, User


@pytest.fixture
def addresses(db, request):
    """Everybody of the small campaign has an address."""
    for fixture in ("organizer", "participant", "rival", "assessor", "assessor2"):
        if fixture in request.fixturenames:
            person = request.getfixturevalue(fixture)
            person.email = f"{person.username}@example.org"
            person.save(update_fields=["email"])


@pytest.fixture
def letter(campaign):
    """``letter(user)``: a queued mail to the user."""

    def make(user: User, **fields) -> Mail:
        given = {"subject": "Subject", "body": "Body\n", "kind": "message", "key": str(user.pk)}
        return Mail.objects.create(
            campaign=campaign, user=user, address=user.email, **(given | fields)
        )

    return make
