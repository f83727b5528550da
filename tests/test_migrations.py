"""Databases of commits before the migrations were squashed."""

from importlib import import_module

import pytest
from django.db import connection
from django.db.migrations.exceptions import NodeNotFoundError
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

SQUASHED = [
    *((app, "0001_squashed") for app in ("campaigns", "crowd", "evaluation", "judging")),
    ("judging", "0002_squashed"),
    *((app, "0001_squashed") for app in ("pooling", "preferences")),
]
pytestmark = pytest.mark.django_db


def list_former(app: str, name: str) -> list[tuple[str, str]]:
    return import_module(f"{app}.migrations.{name}").Migration.replaces


@pytest.fixture
def recorded(db) -> MigrationRecorder:
    """What a database records in which the former migrations ran, not the squashed ones."""
    recorder = MigrationRecorder(connection)
    for app, name in SQUASHED:
        for former in list_former(app, name):
            recorder.record_applied(*former)
        recorder.record_unapplied(app, name)
    return recorder


def test_a_database_of_the_former_migrations_has_nothing_to_do(recorded):
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []


def test_the_table_of_thresholds_goes(recorded):
    recorded.record_unapplied("campaigns", "0002_no_thresholds")
    executor = MigrationExecutor(connection)
    (step,) = executor.migration_plan([("campaigns", "0002_no_thresholds")])
    assert str(step[0]) == "campaigns.0002_no_thresholds"
    assert [each.name for each in step[0].operations] == ["CampaignThreshold"]


@pytest.mark.parametrize(("app", "name"), [each for each in SQUASHED if list_former(*each)[1:]])
def test_one_in_which_only_some_ran_is_refused(recorded, app, name):
    recorded.record_unapplied(*list_former(app, name)[-1])
    with pytest.raises(NodeNotFoundError, match=name):
        MigrationExecutor(connection).migration_plan([(app, name)])
