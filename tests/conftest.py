"""Fixtures for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import Phase
from hypothesis import settings as hypothesis_settings

from campaigns.core.documents import DocumentText
from campaigns.core.scale import GradeSpec
from campaigns.models import Campaign, Document, Role, Team, Topic, User
from campaigns.services.campaigns import create_campaign
from campaigns.services.collection import build_document_row
from campaigns.services.people import add_member, get_or_create_team
from common.cache import clear_caches

# The same examples every time, so that only a change can make a test fail.
# HYPOTHESIS_PROFILE=explore draws new ones. Explaining a failure can take longer than the suite.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
hypothesis_settings.register_profile("explore", deadline=None, phases=PHASES)
hypothesis_settings.register_profile("fixed", deadline=None, phases=PHASES, derandomize=True)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

REPOSITORY = Path(__file__).resolve().parent.parent
SCALE = (
    GradeSpec(0, "not relevant", "0", 0),
    GradeSpec(1, "related", "1", 1),
    GradeSpec(2, "relevant", "2", 2),
    GradeSpec(3, "perfect", "3", 3),
)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With POOLBENCH_REQUIRE_ALL=1 a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if skipped and os.environ.get("POOLBENCH_REQUIRE_ALL"):
        reporter.write_line(f"{len(skipped)} tests were skipped where none may be", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data, which is not part of the repository."""
    default = REPOSITORY.parent / "shared" / "data"
    folder = Path(os.environ.get("POOLBENCH_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real data in {folder}: set POOLBENCH_DATA to its folder")
    return folder


@pytest.fixture(autouse=True)
def _own_installation(settings, tmp_path):
    """Jobs run in this process, files go to the test's folder, passwords are hashed fast."""
    settings.POOLBENCH_INLINE = True
    settings.STORE_DIR = tmp_path / "store"
    # Primary keys of users are reused, so counted requests of other tests must be forgotten.
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": memory, "LOCATION": str(tmp_path)}}
    # Primary keys are reused after a rollback.
    clear_caches()
    # Static files are found on request, instead of listing them for every client.
    settings.WHITENOISE_AUTOREFRESH = True
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def user(name: str, **fields: object) -> User:
    return User.objects.create_user(name, password="correct horse battery", **fields)


@pytest.fixture
def organizer(db) -> User:
    return user("organizer", can_create_campaigns=True)


@pytest.fixture
def assessor(campaign) -> User:
    return joined(campaign, "assessor", Role.ASSESSOR)


@pytest.fixture
def assessor2(campaign) -> User:
    return joined(campaign, "assessor2", Role.ASSESSOR)


@pytest.fixture
def participant(campaign, team) -> User:
    return joined(campaign, "participant", Role.PARTICIPANT, team)


@pytest.fixture
def rival(campaign, other_team) -> User:
    """A participant of another team."""
    return joined(campaign, "rival", Role.PARTICIPANT, other_team)


@pytest.fixture
def viewer(campaign) -> User:
    return joined(campaign, "viewer", Role.VIEWER)


@pytest.fixture
def stranger(db) -> User:
    """A user without a role in any campaign."""
    return user("stranger")


@pytest.fixture
def campaign(organizer) -> Campaign:
    """Grades 0 to 3, topics "1" to "3", documents d1 to d9; only the organizer is a member."""
    made = create_campaign(actor=organizer, title="Small Task", slug="small", scale=SCALE)
    Topic.objects.bulk_create(
        Topic(campaign=made, number=str(n), title=f"topic {n}", position=n) for n in (1, 2, 3)
    )
    Document.objects.bulk_create(
        build_document_row(
            made, DocumentText(f"d{n}", f"Document {n}", f"The text of document {n}.")
        )
        for n in range(1, 10)
    )
    return made


@pytest.fixture
def team(campaign, organizer) -> Team:
    return get_or_create_team(actor=organizer, campaign=campaign, name="Alpha")


@pytest.fixture
def other_team(campaign, organizer) -> Team:
    return get_or_create_team(actor=organizer, campaign=campaign, name="Beta")


def joined(campaign: Campaign, name: str, role: str, team: Team | None = None) -> User:
    """A new user with a role in ``campaign``."""
    member = add_member(
        actor=campaign.created_by, campaign=campaign, user=user(name), role=role, team=team
    )
    return member.user


@pytest.fixture
def as_user(client):
    """``as_user(user)``: the test client, signed in as ``user``, or signed out."""

    def sign_in(who: User | None):
        client.logout() if who is None else client.force_login(who)
        return client

    return sign_in
