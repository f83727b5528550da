"""Users of every role, and the campaign that they work in."""

from __future__ import annotations

from campaigns.models import Campaign, Document, Role, Team, Topic, User
from campaigns.services.campaigns import create_campaign
from campaigns.services.collection import build_document_row
from campaigns.services.people import add_member
from poolbench.judging.scale import GradeSpec
from poolbench.texts.documents import DocumentText

SCALE = (
    GradeSpec(0, "not relevant", "0", 0),
    GradeSpec(1, "related", "1", 1),
    GradeSpec(2, "relevant", "2", 2),
    GradeSpec(3, "perfect", "3", 3),
)


def user(name: str, **fields: object) -> User:
    return User.objects.create_user(name, password="correct horse battery", **fields)


def joined(campaign: Campaign, name: str, role: str, team: Team | None = None) -> User:
    """A new user with a role in ``campaign``."""
    member = add_member(
        actor=campaign.created_by, campaign=campaign, user=user(name), role=role, team=team
    )
    return member.user


def begin(organizer: User, title: str = "Small Task", slug: str = "small") -> Campaign:
    """Grades 0 to 3, topics "1" to "3", documents d1 to d9; only the organizer is a member."""
    campaign = create_campaign(actor=organizer, title=title, slug=slug, scale=SCALE)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(n), title=f"topic {n}", position=n) for n in (1, 2, 3)
    )
    Document.objects.bulk_create(
        build_document_row(
            campaign, DocumentText(f"d{n}", f"Document {n}", f"The text of document {n}.")
        )
        for n in range(1, 10)
    )
    return campaign


def begin_with_assessors(slug: str, assessors: int) -> tuple[Campaign, list[User]]:
    """Grades 0 and 1, topic "1", and assessors a0, a1, … without passwords.

    For processes with an installation of their own.
    """
    owner = User.objects.create(username="owner", can_create_campaigns=True)
    scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
    campaign = create_campaign(actor=owner, title=slug.title(), slug=slug, scale=scale)
    Topic.objects.create(campaign=campaign, number="1", title="t")
    users = [User.objects.create(username=f"a{n}") for n in range(assessors)]
    for each in users:
        add_member(actor=owner, campaign=campaign, user=each, role=Role.ASSESSOR)
    return campaign, users
