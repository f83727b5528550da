"""A store is taken for the installation's only if its marker says so, or the operator."""

import os
import signal

import pytest
from django.core.management import CommandError, call_command

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import StoreMarker
from campaigns.services.health import check_health
from campaigns.services.store_marker import find_store_fault, require_own_store, set_own_store
from campaigns.storages import MARKER, StoreAwayError
from tests.object_store import in_both
from tests.pages import run_command
from tests.world.files import run_text, upload
from workbench import celery
from workbench.backups import write_backup
from workbench.celery import refuse_other_store
from workbench.doctor import examine_installation

# A worker closes the connection that it began with: on PostgreSQL, the transaction of a test.
pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]
OTHER = "This store is that of another installation."


@pytest.fixture
def own(files):
    """A store that this installation has accepted."""
    require_own_store()
    return files


@pytest.fixture
def foreign(own):
    """A store that another installation has accepted."""
    own.write(MARKER, b"theirs\n")
    return own


@in_both
def test_the_first_worker_accepts_the_store_and_others_see_it(files):
    assert find_store_fault() == ""
    refuse_other_store()
    token = StoreMarker.objects.get().token
    assert store.get_blob(MARKER).decode() == f"{token}\n"
    refuse_other_store()
    assert StoreMarker.objects.get().token == token
    assert list(store.list_blobs()) == []


def test_a_worker_with_another_store_does_not_start(foreign):
    with pytest.raises(SystemExit, match=f"The worker does not start. {OTHER}.*accept_store") as it:
        refuse_other_store()
    assert isinstance(it.value.code, str)  # so that the exit status is 1


def test_a_worker_whose_store_becomes_another_ends(own, monkeypatch, caplog):
    """After the work in hand: by the signal for that."""
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(celery, "WATCH_SECONDS", 0.0)
    monkeypatch.setattr("os.kill", lambda *args: sent.append(args))
    monkeypatch.setattr(celery.shutting_down, "wait", lambda _seconds: len(looks) == 3)
    looks: list[str] = []

    def look() -> str:
        looks.append(find_store_fault())
        if len(looks) == 2:
            own.write(store.MARKER, b"theirs\n")
        return looks[-1]

    monkeypatch.setattr("campaigns.services.store_marker.find_store_fault", look)
    celery.leave_other_store()
    assert looks == ["", "", OTHER]
    assert sent == [(os.getpid(), signal.SIGTERM)]
    assert OTHER in caplog.text


def test_a_worker_with_an_empty_store_does_not_start(own):
    own.remove(MARKER)
    with pytest.raises(SystemExit, match="has no marker"):
        refuse_other_store()
    assert not store.has_blob(MARKER)


def test_a_database_that_knows_no_store_takes_none_that_is_taken(foreign):
    StoreMarker.objects.all().delete()
    with pytest.raises(ActionRefused, match=OTHER):
        require_own_store()
    assert store.get_blob(MARKER) == b"theirs\n"
    assert not StoreMarker.objects.exists()


@pytest.mark.parametrize("field", ["file", "matrix"])
def test_a_store_without_the_newest_files_is_not_accepted(world, files, field):
    """As after the upgrade of a version that had no marker."""
    newest = world.campaign.runs.model.objects.latest("pk")
    path = newest.file if field == "file" else find_newest_chunk()
    data = store.get_blob(path)
    files.remove(path)
    with pytest.raises(ActionRefused, match=f"it has no file {path}"):
        require_own_store()
    files.write(path, data)
    require_own_store()


def find_newest_chunk() -> str:
    from campaigns.models import PairChunk

    return PairChunk.objects.latest("pk").path


def test_health_and_doctor_say_it(foreign, client):
    health = check_health()
    assert (health["status"], health["store"], health["store_fault"]) == ("failed", "failed", OTHER)
    answer = client.get("/health/")
    assert (answer.status_code, answer.json()["store_fault"]) == (503, OTHER)
    finding = next(it for it in examine_installation() if it.name == "store")
    assert (finding.state, finding.message) == ("failed", OTHER)
    assert "accept_store" in finding.fix


def test_what_removes_files_refuses_the_store_of_another(foreign, tmp_path):
    left_over = store.name_blob(store.sha256(b"theirs"), "")
    foreign.write(left_over, b"theirs")
    foreign.make_old(left_over)
    with pytest.raises(ActionRefused, match=OTHER):
        call_command("housekeeping")
    for options in ([], ["--clean"]):
        with pytest.raises(CommandError, match=OTHER):
            call_command("check_store", *options)
    with pytest.raises(ActionRefused, match=OTHER):
        write_backup(tmp_path)
    assert store.has_blob(left_over)


def test_the_operator_can_accept_it(foreign):
    assert run_command("accept_store").strip() == f"{OTHER} It is now."
    assert find_store_fault() == ""
    assert run_command("accept_store").strip() == "The store is accepted."
    refuse_other_store()


@in_both
def test_what_another_installation_would_get_is_refused(foreign, campaign, team, as_user):
    """By a web process, which goes on: there is more to it than files."""
    client = as_user(campaign.created_by)
    client.raise_request_exception = False
    form = {"campaign": campaign.slug, "team": team.name, "file": upload(run_text())}
    answer = client.post("/api/runs/", form)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "file store is not available" in answer.json()["detail"]
    assert client.get(campaign.get_absolute_url()).status_code == 200
    call_command("accept_store")
    form["file"].seek(0)
    assert client.post("/api/runs/", form).status_code == 201


@in_both
def test_a_web_process_that_begins_with_an_empty_store_refuses_files(own):
    """Which is another's to one that has never seen the installation's."""
    own.remove(MARKER)
    set_own_store()
    with pytest.raises(StoreAwayError, match="not mounted"):
        store.put_blob(b"a run")


@pytest.fixture
def unmounted(settings, tmp_path):
    """The folder of an accepted store is there, and empty."""
    settings.STORE_DIR = tmp_path / "store"
    require_own_store()
    name = store.put_blob(b"a run")
    settings.STORE_DIR.rename(settings.STORE_DIR.with_name("mounted"))
    settings.STORE_DIR.mkdir()
    return name


def test_a_folder_that_is_no_longer_mounted_takes_and_misses_nothing(unmounted, settings):
    """What is written there would be hidden once the file system is mounted again."""
    with pytest.raises(StoreAwayError, match="not mounted"):
        store.put_blob(b"another")
    for read in (store.get_blob, store.find_blob_path, store.get_blob_size):
        with pytest.raises(StoreAwayError, match="not mounted"):
            read(unmounted)
    assert check_health()["store"] == "failed"
    settings.STORE_DIR.rmdir()
    settings.STORE_DIR.with_name("mounted").rename(settings.STORE_DIR)
    assert store.get_blob(unmounted) == b"a run"
    assert store.get_blob(store.put_blob(b"another")) == b"another"
