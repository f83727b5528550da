"""What only a bucket does: ranges, copies on this machine, and answers while it is away."""

import io
import os
import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from campaigns import store
from campaigns.buckets import StoreBucket
from campaigns.services.health import check_store
from campaigns.storages import StoreAwayError
from tests.object_store import Bucket, use_bucket
from workbench.store_settings import build_store_settings

DATA = bytes(range(256)) * 4_000


@pytest.fixture
def requests(bucket, monkeypatch) -> list[tuple[str, str]]:
    """Name and range of each request to the bucket, in order."""
    made: list[tuple[str, str]] = []
    client = store.get_storage().client

    def note(params, model, **_more):
        made.append((model.name, params["headers"].get("Range", "")))

    client.meta.events.register("before-call.s3", note)
    return made


def test_a_range_fetches_that_and_no_more(requests):
    name = store.put_blob(DATA)
    requests.clear()
    with store.open_blob(name) as stream:
        stream.seek(1_000_000)
        assert stream.read(10) == DATA[1_000_000:1_000_010]
        assert stream.read(10) == DATA[1_000_010:1_000_020]
        stream.seek(-4, io.SEEK_END)
        assert stream.read() == DATA[-4:]
        assert stream.read() == b""
    assert requests == [
        ("HeadObject", ""),
        ("GetObject", "bytes=1000000-"),
        ("GetObject", f"bytes={len(DATA) - 4}-"),
    ]


def test_a_whole_file_is_one_stream(requests):
    name = store.put_blob(DATA)
    requests.clear()
    with store.open_blob(name) as stream:
        assert b"".join(iter(lambda: stream.read(10_000), b"")) == DATA
    assert [kind for kind, _ in requests] == ["HeadObject", "GetObject"]


def test_libraries_that_want_a_file_get_one(bucket):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", "text")
    with zipfile.ZipFile(store.open_blob(store.put_blob(packed.getvalue()))) as archive:
        assert archive.read("a.txt") == b"text"


def test_column_files_are_fetched_once(requests):
    name = store.put_blob(DATA, ".columns")
    requests.clear()
    assert store.get_blob(name) == store.get_blob(name) == DATA
    path = store.find_blob_path(name)
    assert path.is_relative_to(settings.STORE_CACHE_DIR)
    assert [kind for kind, _ in requests].count("GetObject") == 1
    path.unlink()
    assert store.get_blob(name) == DATA


def test_the_same_content_is_sent_once(requests):
    for _ in range(2):
        store.put_blob(DATA)
        part = store.make_part_path()
        part.write_bytes(b"index")
        store.put_file(part, ".columns")
        assert not part.exists()
    assert [kind for kind, _ in requests].count("PutObject") == 2


def test_a_damaged_column_file_is_not_used(bucket):
    name = store.put_blob(DATA, ".columns")
    Bucket(bucket).write(name, DATA[:-1])
    with pytest.raises(StoreAwayError, match="damaged"):
        store.get_blob(name)


@pytest.mark.parametrize("ending", ["", ".columns"])
def test_a_file_that_is_not_there_is_missing(bucket, ending):
    for read in (store.get_blob, store.find_blob_path, store.get_blob_size, store.get_blob_age):
        with pytest.raises(store.MissingFileError):
            read(f"ab/abc{ending}")


def test_a_stream_that_was_cut_is_continued(bucket):
    name = store.put_blob(DATA)
    with store.open_blob(name) as stream:
        assert stream.read(100) == DATA[:100]
        raw = stream.raw
        raw._stream.close()
        assert stream.read() == DATA[100:]


@pytest.fixture
def away(object_store, monkeypatch, tmp_path):
    """A bucket of a server that takes no connection."""
    monkeypatch.setitem(os.environ, "AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    with use_bucket("gone", tmp_path / "cache"):
        yield


def test_while_it_is_away_everything_says_so(away):
    for act in (store.get_blob, store.find_blob_path, store.has_blob, store.remove_blob):
        with pytest.raises(StoreAwayError, match="away"):
            act("ab/abc.columns")
    with pytest.raises(StoreAwayError):
        store.put_blob(b"new")
    with pytest.raises(StoreAwayError):
        list(store.list_blobs())
    told = check_store()
    assert told["store"] == "failed"
    assert "away" in told["store_error"]


@pytest.mark.parametrize("path", ["/api/qrels/{}/text/", "/c/{}/runs/{}/file/"])
def test_while_it_is_away_a_page_is_to_be_tried_again(world, away, path):
    client = Client(raise_request_exception=False)
    client.force_login(world.people["organizer"])
    numbers = [world.qrels.pk] if "qrels" in path else [world.campaign.slug, world.run.pk]
    answer = client.get(path.format(*numbers))
    assert (answer.status_code, answer["Retry-After"]) == (503, "10"), answer.content
    assert "file store is not available" in answer.content.decode()


def test_a_process_that_was_forked_has_connections_of_its_own(bucket):
    storage = store.get_storage()
    ours = storage.client
    assert storage.client is ours
    reader, writer = os.pipe()
    if not os.fork():
        os.write(writer, b"same" if storage.client is ours else b"own")
        os._exit(0)
    assert os.read(reader, 10) == b"own"
    os.wait()


def test_the_setting_names_bucket_and_prefix():
    built = build_store_settings("s3://trec/2026/bench/")
    assert built["OPTIONS"] == {"bucket_name": "trec", "location": "2026/bench"}
    assert StoreBucket(**built["OPTIONS"]).locate("ab/c") == {
        "Bucket": "trec", "Key": "2026/bench/ab/c",
    }  # fmt: skip
    with pytest.raises(ImproperlyConfigured, match="s3://BUCKET"):
        build_store_settings(str(Path("/srv/store")))
