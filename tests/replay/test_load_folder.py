"""A folder of runs that several processes check has the outcome of one that checks them in turn."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.world.at_once import make_installation

LOAD = """
import os, sys
from pathlib import Path
import django
django.setup()
from replay import services
folder, processes = Path(sys.argv[1]), int(sys.argv[2])
def check_team_runs(sent, check=services.check_team_runs):
    with (folder / "pids").open("a") as pids:
        pids.write(f"{os.getpid()} {len(sent)}\\n")
    check(sent)
services.check_team_runs = check_team_runs
services.choose_process_count = lambda paths: processes
from django.core.management import call_command
call_command("load_campaign", str(folder))
import json
from campaigns.models import Run
from campaigns.services.matrices import load_run_table
from evaluation.models import RunScores
from judging.models import Judgment
runs = Run.objects.filter(campaign__slug=folder.name).order_by("pk")
print(json.dumps({
    "runs": [[r.tag, r.team.name, r.state, r.lines, r.normalised_hash, r.report] for r in runs],
    "rows": [[[*t.topics], [*t.docnos], t.scores.tolist()] for t in map(load_run_table, runs)],
    "judged": [*Judgment.objects.filter(campaign__slug=folder.name).order_by("topic__number",
        "docno", "assessor__username").values_list("topic__number", "docno",
        "assessor__username", "grade", "slot__state", "slot__assessor__username")],
    "events": runs[0].campaign.events.filter(code="judgments.imported").count(),
    "here": os.getpid(),
}))
"""
TAGS = {"a1": "A", "b1": "B", "a2": "A", "c1": "C", "a3": "A", "b2": "B"}
HEAD = """
title: Loaded
slug: {}
scale:
  - {{grade: 0, label: 'No', key: '0'}}
  - {{grade: 1, label: 'Yes', key: '1'}}
topics: topics.tsv
pool: {{depth: 5}}
policy: majority
qrels: [{{file: ann.txt, assessor: ann}}, {{file: bob.txt, assessor: bob}}]
runs:
"""


def write_folder(folder: Path, *, faulty: str = "") -> Path:
    """Six runs of three teams, in turn; those of team A rank alike. One may lack its score."""
    folder.mkdir()
    (folder / "topics.tsv").write_text("1\tone\n2\ttwo\n")
    manifest = HEAD.format(folder.name)
    for at, (tag, team) in enumerate(TAGS.items()):
        manifest += f"  - {{file: {tag}.txt, team: {team}, tag: {tag}}}\n"
        first = 0 if team == "A" else at
        lines = [f"{t} Q0 d{first + n} {n + 1} {9 - n} {tag}\n" for t in (1, 2) for n in range(6)]
        (folder / f"{tag}.txt").write_text("".join(lines) + ("1 Q0 d99\n" if tag == faulty else ""))
    for name, grade in (("ann", 1), ("bob", 0)):
        judged = [f"{t} 0 d{n} {grade}\n" for t in (1, 2) for n in range(8)]
        (folder / f"{name}.txt").write_text("".join(judged))
    (folder / "campaign.yaml").write_text(manifest)
    return folder


def load(env: dict[str, str], folder: Path, processes: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LOAD, str(folder), str(processes)]
    return subprocess.run(
        command, cwd=REPOSITORY, env=env, text=True, capture_output=True, timeout=300, check=False
    )


def read_pids(folder: Path) -> list[list[int]]:
    return [[int(word) for word in line.split()] for line in (folder / "pids").open()]


@pytest.mark.django_db(transaction=True)
def test_several_processes_load_what_one_loads(request, tmp_path):
    env = make_installation(request)
    told: list[dict[str, Any]] = []
    for name, processes in (("alone", 1), ("together", 2)):
        folder = write_folder(tmp_path / name)
        done = load(env, folder, processes)
        assert done.returncode == 0, done.stderr
        told.append(json.loads(done.stdout.splitlines()[-1]))
        pids = read_pids(folder)
        assert sorted(count for _, count in pids) == [1, 2, 3]
        assert ({told[-1]["here"]} == {pid for pid, _ in pids}) == (processes == 1)
    alone, together = told
    assert [run[0] for run in together["runs"]] == list(TAGS)
    codes = [[each["code"] for each in run[5]["faults"]] for run in together["runs"]]
    assert codes[2] == codes[4] == ["W09"]  # compared with the team's run before
    assert len(together["judged"]) == 32
    for name in ("runs", "rows", "judged", "events"):
        assert alone[name] == together[name], name


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_a_rejected_run_of_another_process_ends_the_load_with_its_faults(request, tmp_path):
    env = make_installation(request)
    folder = write_folder(tmp_path / "faulty", faulty="b1")
    done = load(env, folder, 2)
    assert done.returncode == 1
    assert f"{folder}/b1.txt" in done.stderr
    assert "columns instead of 6. [1 Q0 d99]" in done.stderr
