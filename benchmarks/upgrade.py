"""Rehearse an upgrade: migrate a full database of a former commit, compare its figures, go back.

    DATABASE_URL=postgres://USER:PASSWORD@HOST/DATABASE python benchmarks/upgrade.py [COMMIT]

In databases of its own on that PostgreSQL, which the role must be allowed to create: COMMIT
(default: c1e13014) fills one with a campaign of 100 topics, 500,000 pooled documents and two
million judgments, freezes its qrels and scores three runs. Then it is backed up, migrated by this
checkout, and its rows, judgments, qrels and scores are compared; qrels are built and runs scored
anew from the log. At last COMMIT restores the backup elsewhere, as an operator does who returns,
and compares again. ``--judgments N`` makes fewer.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
TOPICS, JUDGES, RUNS, DEPTH = 100, 4, 3, 100
LIMIT = 60
FILL = {
    "pooling_poolitem": (
        "judging_slot s, campaigns_topic t, generate_series(2, {documents} + 1) n",
        "a.docno = 'd1' AND s.item_id = a.id AND s.k = 0",
        {"topic_id": "t.id", "docno": "'d' || n", "position": "n"},
    ),
    "judging_slot": (
        "pooling_poolitem i",
        "i.docno <> 'd1'",
        {
            "item_id": "i.id",
            "topic_id": "i.topic_id",
            "position": "i.position",
            "token": "gen_random_uuid()",
        },
    ),
    "judging_judgment": (
        "judging_slot o, judging_slot s, pooling_poolitem i",
        "o.id = a.slot_id AND s.k = o.k AND s.item_id = i.id AND i.docno <> 'd1'",
        {
            "topic_id": "i.topic_id",
            "docno": "i.docno",
            "slot_id": "s.id",
            "client_uuid": "gen_random_uuid()",
            "grade": "CASE WHEN s.k = 3 THEN 0 ELSE abs(hashtext(i.docno || i.topic_id)) % 2 END",
        },
    ),
}
"""By table: with what its rows ``a`` are multiplied, which of them, and columns that differ."""


def fill(judgments: int) -> None:
    """In the former commit: a small campaign by its services, multiplied by the database."""
    from django.db import connection

    from campaigns.models import Topic
    from campaigns.services.people import get_or_create_team
    from evaluation.services.scoring import score_campaign
    from judging.services.imports import import_judgments
    from judging.services.plans import create_plan
    from judging.services.qrels import freeze_qrels
    from tests.world.files import make_pool, ranked_run
    from tests.world.people import begin_with_assessors

    campaign, assessors = begin_with_assessors("upgrade", JUDGES)
    owner = campaign.created_by
    pool = make_pool(campaign, {"1": ["d1"]})
    create_plan(actor=owner, pool=pool, overlap=JUDGES, assessors={"1": assessors})
    for assessor in assessors:
        rows = [("1", "d1", 1)]
        import_judgments(actor=owner, campaign=campaign, assessor=assessor, rows=rows)
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(number), title=f"topic {number}", position=number)
        for number in range(2, TOPICS + 1)
    )
    with connection.cursor() as cursor:
        for table, (sources, condition, values) in FILL.items():
            described = connection.introspection.get_table_description(cursor, table)
            names = [column.name for column in described if column.name != "id"]
            columns = ", ".join(f'"{name}"' for name in names)
            selected = ", ".join(values.get(name, f'a."{name}"') for name in names)
            others = sources.format(documents=judgments // TOPICS // JUDGES)
            cursor.execute(
                f"INSERT INTO {table} ({columns}) SELECT {selected}"  # noqa: S608
                f" FROM {table} a, {others} WHERE {condition}"
            )
        cursor.execute("UPDATE pooling_pool SET size = (SELECT count(*) FROM pooling_poolitem)")
        cursor.execute("ANALYZE")
    qrels = freeze_qrels(actor=owner, campaign=campaign, policy="majority")
    team = get_or_create_team(actor=owner, campaign=campaign, name="Alpha")
    for number in range(RUNS):
        docnos = " ".join(f"d{1 + number + 7 * rank}" for rank in range(DEPTH))
        ranked_run(team, f"run{number}", {str(t): docnos for t in range(1, TOPICS + 1)})
    score_campaign(actor=owner, campaign=campaign, qrels=qrels)


def list_figures() -> dict[str, Any]:
    """What must be the same before and after, by the services of the commit that runs this."""
    from django.db import connection

    from evaluation.models import RunScores
    from judging.models import Qrels
    from judging.services.qrels import verify_qrels

    figures: dict[str, Any] = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f'SELECT count(*) FROM "{table}"')  # noqa: S608
            figures[f"rows of {table}"] = cursor.fetchone()[0]
        cursor.execute(
            "SELECT sum(hashtextextended(concat_ws('|', id, topic_id, docno, assessor_id, grade,"
            " revision, slot_id, client_uuid), 0)::numeric)::text FROM judging_judgment"
        )
        figures["hash of all judgments"] = cursor.fetchone()[0]
    for qrels in Qrels.objects.all():
        figures[f"{qrels} sha256"] = qrels.sha256
        figures[f"{qrels} rebuilt from the log"] = verify_qrels(qrels)
    for scores in RunScores.objects.select_related("run").order_by("pk"):
        name = f"scores of {scores.run.tag} in score set {scores.score_set_id}"
        figures[name] = hashlib.sha256(scores.packed).hexdigest()
    return figures


def score_again() -> bool:
    """Whether runs scored now get the scores that are stored."""
    from campaigns.models import Campaign
    from evaluation.models import RunScores, ScoreSet
    from evaluation.services.scoring import score_campaign

    campaign = Campaign.objects.get()
    (former,) = ScoreSet.objects.all()
    qrels = campaign.qrels.get()
    latest = score_campaign(actor=campaign.created_by, campaign=campaign, qrels=qrels)
    pairs = RunScores.objects.filter(score_set__in=(former, latest)).values_list("run", "packed")
    return len({(run, bytes(packed)) for run, packed in pairs}) == RUNS


class Tree:
    """A checkout with a database and a folder of its own."""

    def __init__(self, root: Path, database: str, var: Path) -> None:
        self.root, self.database = root, database
        var.mkdir(exist_ok=True)
        url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}").geturl()
        self.env = {
            **os.environ,
            "DATABASE_URL": url,
            "POOLBENCH_VAR": str(var),
            "PYTHONPATH": str(root),
            "DJANGO_SETTINGS_MODULE": "workbench.settings",
        }

    def run(self, *arguments: object) -> str:
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.root, env=self.env, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    def manage(self, *arguments: object) -> float:
        """Seconds of a command of ``manage.py``."""
        start = time.perf_counter()
        self.run("manage.py", *arguments)
        return time.perf_counter() - start

    def call(self, *arguments: object) -> Any:
        """The result of a function of this file in that checkout."""
        return json.loads(self.run(Path(__file__).resolve(), "--call", *arguments).splitlines()[-1])


@contextmanager
def create_database(name: str) -> Iterator[None]:
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name}")
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield
        finally:
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@contextmanager
def check_out(commit: str, folder: Path) -> Iterator[Path]:
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def rehearse(folder: Path, former: Path, judgments: int) -> None:
    with create_database("poolbench_upgrade"), create_database("poolbench_return"):
        old = Tree(former, "poolbench_upgrade", folder / "var")
        old.manage("migrate", "-v", "0")
        start = time.perf_counter()
        old.call("fill", judgments)
        print(f"filled in {time.perf_counter() - start:.0f} s")
        before = old.call("list_figures")
        print(f"{before['rows of judging_judgment']:,} judgments, figures: {len(before)}")
        print(f"backup: {old.manage('backup', folder / 'backup.tar'):.0f} s")
        new = Tree(ROOT, "poolbench_upgrade", folder / "var")
        seconds = new.manage("migrate", "-v", "0")
        print(f"migrated in {seconds:.1f} s (limit {LIMIT})")
        after = new.call("list_figures")
        report_differences("after the upgrade", before, after)
        print(f"runs scored anew have the same scores: {new.call('score_again')}")
        back = Tree(former, "poolbench_return", folder / "var-return")
        print(f"way back, restore: {back.manage('restore', folder / 'backup.tar'):.0f} s")
        report_differences("after the return", before, back.call("list_figures"))
    if seconds > LIMIT:
        raise SystemExit("The migrations take too long.")


def report_differences(when: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Tables that are new may have any rows; migrations and permissions grow with the models."""
    grown = {f"rows of {name}" for name in ("django_migrations", "auth_permission")}
    grown.add("rows of django_content_type")
    changed = {
        name: (value, after.get(name))
        for name, value in before.items()
        if after.get(name) != value and name not in grown
    }
    print(f"{when}: {len(before) - len(grown)} figures, different: {changed or 'none'}")
    if changed:
        raise SystemExit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", default="c1e13014")
    parser.add_argument("--judgments", type=int, default=2_000_000)
    parser.add_argument("--call", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.call:
        del sys.path[0]  # files here are called as apps are
        import django

        django.setup()
        name, *arguments = options.call
        print(json.dumps(globals()[name](*map(int, arguments))))
        return
    with TemporaryDirectory(prefix="poolbench-upgrade-") as name:
        folder = Path(name)
        with check_out(options.commit, folder / "former") as former:
            rehearse(folder, former, options.judgments)


if __name__ == "__main__":
    main()
