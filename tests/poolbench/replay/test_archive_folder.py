"""Zips that are not what they seem. Cheap: a few bytes each."""

import stat
import zipfile
from pathlib import Path

import pytest

from poolbench.files.faults import InvalidFile
from poolbench.replay import archive_folder
from poolbench.replay.archive_folder import find_campaign_folder, iter_rows, unpack_archive


def zip_with(path: Path, *members: tuple[str, bytes], mode: int = 0o100644) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return path


def code_of(archive: Path, folder: Path, **limits: int) -> str:
    with pytest.raises(InvalidFile) as refused:
        unpack_archive(archive, folder, **limits)
    return refused.value.report.faults[0].code


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "C:/x", "..\\x"])
def test_no_file_is_written_outside(tmp_path, name):
    archive = zip_with(tmp_path / "a.zip", (name, b"x"))
    assert code_of(archive, tmp_path / "in") == "EA02"
    assert [path.name for path in tmp_path.iterdir() if path.name != "in"] == ["a.zip"]


def test_a_symbolic_link_is_refused(tmp_path):
    archive = zip_with(tmp_path / "a.zip", ("link", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777)
    assert code_of(archive, tmp_path / "in") == "EA02"


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(archive_folder, "ALWAYS_ALLOWED", 1 << 20)
    archive = zip_with(tmp_path / "a.zip", ("zeros", bytes(8 << 20)))
    assert code_of(archive, tmp_path / "in") == "EA03"
    assert (tmp_path / "in" / "zeros").stat().st_size <= 4 << 20


def test_limits_of_all_and_of_one_file(tmp_path, monkeypatch):
    archive = zip_with(tmp_path / "a.zip", ("a", b"1234"), ("b", b"1234"))
    assert code_of(archive, tmp_path / "one", max_bytes=7) == "EA03"
    monkeypatch.setattr(archive_folder, "MAX_FILE_BYTES", 3)
    assert code_of(archive, tmp_path / "two") == "EA03"
    monkeypatch.setattr(archive_folder, "MAX_FILES", 1)
    assert code_of(archive, tmp_path / "three") == "EA03"


def test_damaged_and_double_files_are_refused(tmp_path):
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04 no zip")
    assert code_of(tmp_path / "b.zip", tmp_path / "in") == "EA01"
    with pytest.warns(UserWarning, match="Duplicate"):
        archive = zip_with(tmp_path / "a.zip", ("x", b"1"), ("x", b"2"))
    assert code_of(archive, tmp_path / "double") == "EA01"
    archive = zip_with(tmp_path / "c.zip", ("x", b"1"), ("x/y", b"2"))
    assert code_of(archive, tmp_path / "file-as-folder") == "EA01"


def test_the_only_folder_is_that_of_the_campaign(tmp_path):
    archive = zip_with(tmp_path / "a.zip", ("task/campaign.yaml", b""))
    unpack_archive(archive, tmp_path / "in")
    assert find_campaign_folder(tmp_path / "in") == tmp_path / "in" / "task"


@pytest.mark.parametrize("line", ["[]", '{"id": 2}', "{", '{"id": 1', "nonsense"])
def test_a_row_that_is_none_is_named_by_its_line(tmp_path, line):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "teams.jsonl").write_text(f"{line}\n")
    with pytest.raises(InvalidFile) as refused:
        list(iter_rows(tmp_path, "teams"))
    (fault,) = refused.value.report.faults
    assert (fault.code, fault.line) == ("EA05", 1)
