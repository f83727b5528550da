from pathlib import Path

import pytest

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.judging.scale import GradeSpec
from poolbench.replay.manifest import read_manifest

GOOD = """\
title: Toy
slug: toy
scale:
  - {grade: 0, label: "No", key: "0"}
  - {grade: 2, label: "Yes", key: "y", gain: 3}
topics: t.tsv
runs:
  - {file: r.txt, team: A, tag: r, pooled: false}
pool: {depth: 3}
qrels:
  - {file: q.txt, assessor: ann}
"""


def folder_with(tmp_path: Path, text: str) -> Path:
    (tmp_path / "campaign.yaml").write_text(text)
    for name in ("t.tsv", "r.txt", "q.txt"):
        (tmp_path / name).write_text("")
    return tmp_path


def faults_of(tmp_path: Path, text: str) -> FaultReport:
    with pytest.raises(InvalidFile) as caught:
        read_manifest(folder_with(tmp_path, text))
    return caught.value.report


def test_manifest_reads_values_and_defaults(tmp_path):
    manifest = read_manifest(folder_with(tmp_path, GOOD))
    assert manifest.scale == (GradeSpec(0, "No", "0", 0.0), GradeSpec(2, "Yes", "y", 3.0))
    assert manifest.runs[0].file == tmp_path / "r.txt"
    assert (manifest.runs[0].pooled, manifest.runs[0].kind) == (False, "automatic")
    assert (manifest.depth, manifest.policy, manifest.release) == (3, "single", True)
    assert manifest.documents is None


def test_manifest_with_many_faults_lists_all_with_lines(tmp_path):
    text = GOOD.replace("title: Toy\n", "").replace('key: "y"', "key: 7")
    text = text.replace("{depth: 3}", "{depth: 0}") + "colour: red\n"
    report = faults_of(tmp_path, text)
    assert report.counts == {"EM03": 4}
    assert {(f.line, f.message) for f in report.faults} == {
        (1, "Missing key: title."),
        (4, "scale[2].key must be one character, in quotes."),
        (8, "pool.depth must be a positive integer."),
        (11, "Unknown key: 'colour'."),
    }


def test_manifest_with_absent_files_names_each(tmp_path):
    report = faults_of(tmp_path, GOOD.replace("r.txt", "gone.txt").replace("q.txt", "../x"))
    assert [(f.code, f.message, f.line) for f in report.faults] == [
        ("EM04", "File not found: gone.txt.", 8),
        ("EM04", "File not found: ../x.", 11),
    ]


@pytest.mark.parametrize(
    ("text", "code"), [("title: [", "EM02"), ("- a\n", "EM02"), ("", "EM02"), ("a: b: c", "EM02")]
)
def test_manifest_that_is_no_mapping_is_refused(tmp_path, text, code):
    assert list(faults_of(tmp_path, text).counts) == [code]


def test_manifest_that_is_absent_is_refused(tmp_path):
    with pytest.raises(InvalidFile, match="EM01"):
        read_manifest(tmp_path)
