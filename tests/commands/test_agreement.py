"""``manage.py agreement``: assessors' files in, coefficients out, no database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Run, Write

ANN = "1 0 a 1\n1 0 b 0\n1 0 c 2\n1 0 e -1\n"
BOB = "1 0 a 1\n1 0 b 1\n1 0 c 2\n1 0 d 0\n"


def test_the_table_tells_values_n_and_reasons(run: Run, write: Write) -> None:
    files = write("ann.txt", ANN), write("bob.qrels", BOB), write("eve.txt", "9 0 a 1\n")
    ran = run("agreement", *files, "-l", "2")
    assert ran.refusal is None
    table = ran.out.splitlines()
    assert table[0] == "5 pairs judged; relevant: grade ≥ 2."
    assert "ann            3         1      0.3333" in table
    pair = next(line for line in table if line.startswith("ann ~ bob"))
    assert pair.split()[3:5] == ["0.6667", "0.5000"]
    assert pair.split()[-1] == "3"
    assert "ann ~ eve: no pair was judged by both" in table
    assert "mean over pairs, all coefficients: 2 of 3 pairs of assessors are undefined" in table


def test_json_holds_null_with_a_reason(run: Run, write: Write) -> None:
    files = write("ann.txt", "1 0 a 1\n"), write("bob.txt", "1 0 a 1\n")
    content = json.loads(run("agreement", *files, "--format", "json").out)
    assert content["pairs"][0]["assessors"] == ["ann", "bob"]
    percent = content["pairs"][0]["percent"]
    assert (percent["value"], percent["n"], percent["reason"]) == (1.0, 1, None)
    assert (percent["low"], percent["prevalence"]) == (None, 1.0)
    assert "fewer than 5 topics" in percent["no_interval"]
    assert content["overall"]["alpha-ordinal"]["value"] is None
    assert "same grade" in content["overall"]["alpha-ordinal"]["reason"]


def test_duplicate_pairs_are_faults_of_the_file(run: Run, write: Write) -> None:
    ran = run("agreement", write("ann.txt", ANN + "1 0 a 0\n"), write("bob.txt", BOB))
    assert (ran.out, ran.refusal) == ("", "1 file rejected; no output written.")
    assert "ann.txt:5:5: EQ06" in ran.err


def test_one_file_or_one_name_twice_is_refused(run: Run, write: Write) -> None:
    ann, twin = write("ann.txt", ANN), write("ann.tsv", ANN)
    assert "two assessors" in (run("agreement", ann).refusal or "")
    assert "Duplicate assessor names: ann" in (run("agreement", ann, twin).refusal or "")
    assert "level" in (run("agreement", ann, write("b", BOB), "-l", "0").refusal or "")


def test_the_eight_assessors_of_dl19(run: Run, data_dir: Path) -> None:
    folder = data_dir / "dl19-eight-assessors" / "agreement-round"
    content = json.loads(run("agreement", *sorted(folder.iterdir()), "--format", "json").out)
    assert round(content["overall"]["alpha-ordinal"]["value"], 4) == 0.4534
    assert round(content["overall"]["alpha-nominal"]["value"], 4) == 0.2284
    assert round(content["mean_over_pairs"]["kappa"]["value"], 3) == 0.242
    assert round(content["mean_over_pairs"]["kappa-quadratic"]["value"], 3) == 0.504


def test_binary_cuts_grades_and_the_command_tells_of_each_assessor(run: Run, write: Write) -> None:
    files = write("ann.txt", ANN), write("bob.txt", BOB)
    content = json.loads(run("agreement", *files, "--binary", "--format", "json").out)
    assert (content["binary"], content["grades"]) == (True, [0, 1])
    assert content["pairs"][0]["confusion"] == [[0, 1], [0, 2]]
    assert content["topics"][0]["mean_over_pairs"]["percent"]["value"] == 2 / 3
    ann, _ = content["quality"]["assessors"]
    assert ann["bias"]["value"] == -1 / 3
    assert "order" in ann["drift"]["slope"]["reason"]
    assert "all assessors, drift: the order" in run("agreement", *files).out


@pytest.mark.django_db
def test_files_or_a_campaign_but_not_both(run: Run, write: Write) -> None:
    assert "or --campaign" in (run("agreement").refusal or "")
    both = run("agreement", write("ann.txt", ANN), "--campaign", "x")
    assert "or --campaign" in (both.refusal or "")
    assert run("agreement", "--campaign", "x").refusal == "Unknown campaign: x."
