"""After many judgments at once the planner knows of them, also where nothing else tells it."""

import os
import subprocess
import sys

import pytest
from django.db import connection

from campaigns.models import Topic
from campaigns.services.statistics import refresh_statistics
from judging.models import Judgment, Slot
from judging.queries.home import list_waiting_documents
from judging.services.bulk import refresh_judging_statistics
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from tests.world.files import make_pool

pytestmark = [
    pytest.mark.postgresql,
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite needs no statistics"),
]
TABLES = "judging_judgment", "judging_slot"
PRINT_LIMIT = (
    "import {}; from django.db import connection as c; k = c.cursor();"
    " k.execute(\"SELECT current_setting('statement_timeout'), current_setting('jit')\");"
    " print(*k.fetchone())"
)


@pytest.mark.django_db
def test_an_import_leaves_the_database_knowing_how_much_there_is(
    campaign, organizer, assessor, django_capture_on_commit_callbacks
):
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
    topics = [Topic(campaign=campaign, number=f"q{n}", position=90 + n) for n in range(20)]
    Topic.objects.bulk_create(topics)
    pairs = {topic.number: [f"x{n:03}" for n in range(500)] for topic in topics}
    pool = make_pool(campaign, pairs)
    people = {number: [assessor] for number in pairs}
    create_plan(actor=organizer, pool=pool, assessors=people)
    rows = [(number, docno, 1) for number, docnos in pairs.items() for docno in docnos[:400]]
    few = {"actor": organizer, "campaign": campaign, "assessor": assessor, "rows": rows[:20]}
    import_judgments(**few)
    refresh_statistics(Judgment, Slot)  # As of a time when there were 20 judgments.
    with django_capture_on_commit_callbacks(execute=True):
        import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'judging_judgment'")
        assert cursor.fetchone()[0] >= 8000
    waiting = list_waiting_documents(assessor, [campaign.pk], "judge")
    assert waiting == {campaign.pk: ("q0", 2000)}


def test_the_tick_finds_nothing_to_refresh_where_nothing_was_written(db):
    refresh_judging_statistics()
    assert refresh_judging_statistics() == 0


@pytest.mark.parametrize(("module", "limit"), [("workbench.wsgi", "30s"), ("django", "0")])
def test_only_web_processes_limit_a_statement_and_none_compiles_one(module, limit):
    setup = "" if "wsgi" in module else "import django; django.setup(); "
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "workbench.settings"}
    command = [sys.executable, "-c", setup + PRINT_LIMIT.format(module)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-2:] == [limit, "off"]
