"""Previewing and freezing pools."""

from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection

from campaigns.errors import ActionRefused
from campaigns.models import Event, Run
from campaigns.services import matrices
from campaigns.services.duplicates import group_campaign_duplicates, request_duplicates
from judging.models import Judgment
from poolbench.pooling.pool_builder import build_pool_table, start_sessions
from poolbench.pooling.run_listing import build_listing
from poolbench.pooling.spec import depth_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.pooling.tables import PoolTable
from poolbench.runs.hash_order import hash_order
from pooling.models import Pool
from pooling.queries.inputs import MAX_RUNS
from pooling.queries.pools import load_pool_table
from pooling.queries.preview import preview_pool
from pooling.services.freeze import freeze_pool
from tests.refusals import refusal
from tests.world.at_once import run_at_once
from tests.world.files import TOY, accepted_run, ranked_run
from tests.world.people import joined

THE_TOY_POOL = [
    ("1", "d1", 1, ("alpha1", "alpha2", "beta1", "beta2")),
    ("1", "d2", 1, ("alpha1", "beta1")),
    ("1", "d4", 2, ("alpha2",)),
    ("1", "d5", 1, ("beta2",)),
    ("2", "d1", 1, ("alpha1", "alpha2")),
    ("2", "d2", 1, ("alpha2", "beta1")),
    ("2", "d3", 2, ("beta1",)),
]


def named(pool: Pool) -> list[tuple]:
    table = load_pool_table(pool)
    return [
        (topic, table.docnos[row], int(table.min_rank[row]), table.contributor_tags(row))
        for topic, row in table.iter_rows()
    ]


def test_a_preview_counts_by_topic_run_and_team(organizer, campaign, runs):
    before = Event.objects.count()
    found = preview_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    assert (Pool.objects.count(), Event.objects.count()) == (0, before)  # it writes nothing
    assert found.parts.size == 7
    by_topic = {t.number: (t.documents, t.one_run, t.one_team) for t in found.parts.topics}
    assert by_topic == {"1": (4, 2, 2), "2": (3, 1, 2), "3": (0, 0, 0)}
    by_run = {run.tag: (run.documents, run.alone) for run in found.parts.runs}
    assert by_run == {"alpha1": (3, 0), "alpha2": (4, 1), "beta1": (4, 1), "beta2": (2, 1)}
    teams = [(team.team, team.runs, team.documents, team.alone) for team in found.parts.teams]
    assert teams == [("Alpha", 2, 5, 2), ("Beta", 2, 5, 2)]
    assert (found.unanswered_topics, found.skipped_topics) == (("3",), ())
    assert found.hours(30) == pytest.approx(7 * 30 / 3600)
    assert [found.topic_hours(topic, 3600) for topic in found.parts.topics] == [4, 3, 0]
    assert (found.identical_runs, found.duplicate_texts, found.most) == ((), 0, 7)


def test_hours_are_of_what_is_not_judged_and_a_static_spec_lets_nothing_come(
    organizer, campaign, assessor, runs
):
    spec = read_spec("{steps: [{method: take, documents: 2}]}")
    found = preview_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    assert (found.parts.size, found.more, found.hours(3600)) == (4, 0, 4)
    docno = named(freeze_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs))[0][1]
    Judgment.objects.create(
        campaign=campaign, topic=campaign.topics.get(number="1"), docno=docno,
        assessor=assessor, revision=1, kind="grade", grade=0, client_uuid=uuid4(),
    )  # fmt: skip
    found = preview_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    assert [found.topic_hours(topic, 3600) for topic in found.parts.topics] == [1, 2, 0]
    assert (found.parts.judged, found.parts.to_judge, found.hours(3600)) == (1, 3, 3)


def test_a_preview_tells_runs_and_documents_that_are_alike(organizer, campaign, team):
    lists = {"one": "d1 d2 d3", "other": "d1 d3 d2", "again": "d1 d2 d3"}
    runs = [ranked_run(team, tag, {"1": ranked, "2": ranked}) for tag, ranked in lists.items()]
    lines = [f"{t} Q0 {d} 1 {score} scaled\n" for t in "12" for d, score in zip(
        ("d1", "d2", "d3"), (0.9, 0.5, 0.1), strict=True)]  # fmt: skip
    runs.append(accepted_run(team, "scaled", "".join(lines)))
    campaign.documents.filter(docno__in=["d2", "d3"]).update(title="Same", body="text")
    group_campaign_duplicates(request_duplicates(campaign))
    found = preview_pool(actor=organizer, campaign=campaign, spec=depth_spec(3), runs=runs)
    assert found.identical_runs == (("again", "one", "scaled"),)
    assert found.duplicate_texts == 4  # d2 and d3 in each topic
    alone = preview_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[runs[0]])
    assert (alone.identical_runs, alone.duplicate_texts) == ((), 0)


def test_hours_of_a_topic_that_grows_are_at_most_those_of_its_budget(organizer, campaign, runs):
    spec = read_spec("budget: {per_topic: 4}\nsteps: [{method: depth, k: 1}, {method: maxmean}]")
    found = preview_pool(actor=organizer, campaign=campaign, spec=spec, runs=runs)
    assert found.future_documents == {"1": 1, "2": 1}
    assert (found.parts.size, found.more, found.most) == (5, 2, 7)
    assert [found.topic_hours(topic, 3600) for topic in found.parts.topics] == [4, 3, 0]


def test_what_a_growing_pool_cannot_do_is_refused(organizer, campaign, runs):
    spec = read_spec("budget: {total: 5}\nsteps: [{method: mtf, scope: global}]")
    given = {"actor": organizer, "campaign": campaign, "spec": spec, "runs": runs}
    for service in (preview_pool, freeze_pool):
        assert refusal(service, **given) == "one-queue"
    assert not Pool.objects.exists()


def test_the_floor_says_what_a_run_that_is_left_out_would_get(organizer, campaign, runs):
    found = preview_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs[:1])
    shares = {floor.run.tag: floor.share for floor in found.pooled_shares}
    # The pool holds d1 and d2 of topic 1, d1 of topic 2.
    assert shares == {"alpha1": 3 / 4, "alpha2": 2 / 4, "beta1": 2 / 5, "beta2": 1 / 2}
    assert [floor.run.tag for floor in found.excluded_runs] == ["beta1", "alpha2", "beta2"]


def test_a_frozen_pool_holds_the_toy_with_ranks_and_contributors(organizer, campaign, runs):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    assert (pool.version, pool.size) == (1, 7)
    assert named(pool) == THE_TOY_POOL
    assert (pool.method, pool.spec["steps"]) == ("depth 2", [{"method": "depth", "k": 2}])
    assert [run["tag"] for run in pool.spec["runs"]] == sorted(TOY)
    event = Event.objects.get(code="pool.frozen")
    assert event.subject == "pool 1: depth 2, 4 runs, 7 documents"
    assert event.actor == organizer
    for number in ("1", "2"):
        held = pool.items.filter(topic__number=number).order_by("position")
        assert list(held.values_list("position", flat=True)) == list(range(1, len(held) + 1))
        orders = [hash_order(campaign.seed, number, item.docno) for item in held]
        assert orders == sorted(orders)


def test_a_frozen_pool_is_the_table_of_the_core(organizer, campaign, runs):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    listing = build_listing([matrices.load_run_table(run) for run in runs], 2, campaign.seed)
    expected = build_pool_table(start_sessions(listing, depth_spec(2).steps))
    assert same_tables(load_pool_table(pool), expected)


def same_tables(one: PoolTable, other: PoolTable) -> bool:
    arrays = ("starts", "min_rank", "bounds", "contributors", "priority")
    return (one.runs, one.topics, one.docnos) == (other.runs, other.topics, other.docnos) and all(
        getattr(one, name).tolist() == getattr(other, name).tolist() for name in arrays
    )


def test_the_order_of_runs_changes_neither_hash_nor_pool(organizer, campaign, runs):
    forward = preview_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    pool = freeze_pool(
        actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[*runs[::-1], runs[0]]
    )
    assert pool.inputs_hash == forward.inputs_hash
    assert named(pool) == THE_TOY_POOL


def test_the_judging_order_depends_on_the_seed_alone(organizer, campaign, team, runs):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    more = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(3), runs=runs)
    order = [list(p.items.filter(topic__number="1").order_by("position")) for p in (pool, more)]
    first_docnos = [item.docno for item in order[0]]
    assert [i.docno for i in order[1] if i.docno in first_docnos] == first_docnos
    assert more.version == 2


def test_the_same_pool_is_not_frozen_twice(organizer, campaign, runs):
    freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    with pytest.raises(ActionRefused, match="already frozen as pool 1") as refused:
        freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs[::-1])
    assert refused.value.code == "same-pool"
    assert campaign.pools.count() == 1


def test_of_two_organizers_who_saw_the_same_state_one_wins(organizer, campaign, runs):
    given = {"actor": organizer, "campaign": campaign, "runs": runs, "after": 0}
    freeze_pool(**given, spec=depth_spec(2))
    assert refusal(freeze_pool, **given, spec=depth_spec(1)) == "overtaken"
    assert campaign.pools.count() == 1


def test_a_withdrawal_does_not_change_a_frozen_pool(organizer, campaign, runs):
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    Run.objects.filter(pk=runs[3].pk).update(state=Run.State.WITHDRAWN)
    assert named(Pool.objects.get(pk=pool.pk)) == THE_TOY_POOL
    with pytest.raises(ActionRefused, match="Not among the accepted runs: beta2"):
        preview_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)


@pytest.mark.parametrize("depth", [0, -1, 1001])
def test_a_depth_outside_the_limits_is_refused(organizer, campaign, runs, depth):
    with pytest.raises(ActionRefused, match="between 1 and 1,000"):
        freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(depth), runs=runs)


def test_no_runs_are_refused(organizer, campaign):
    with pytest.raises(ActionRefused, match="No runs selected"):
        preview_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=[])


def test_more_runs_than_contributors_can_number_are_refused(organizer, campaign):
    many = [Run(pk=number, tag=str(number)) for number in range(MAX_RUNS + 1)]
    with pytest.raises(ActionRefused, match="the limit is 65,535"):
        freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=many)


def test_runs_that_answer_no_topic_of_the_campaign_are_refused(organizer, campaign, team):
    runs = [ranked_run(team, "lost", {"99": "d1 d2"})]
    given = {"actor": organizer, "campaign": campaign, "runs": runs}
    assert refusal(preview_pool, **given, spec=depth_spec(2)) == "empty-pool"


def test_withheld_topics_are_not_pooled(organizer, campaign, runs):
    campaign.topics.filter(number="2").update(withheld=True)
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(2), runs=runs)
    assert load_pool_table(pool).topics == ("1",)


@pytest.mark.parametrize("act", [preview_pool, freeze_pool])
def test_only_organizers_pool(campaign, runs, act):
    for who in (joined(campaign, "judge", "assessor"), joined(campaign, "looker", "viewer")):
        with pytest.raises(PermissionDenied):
            act(actor=who, campaign=campaign, spec=depth_spec(2), runs=runs)


@pytest.mark.django_db(transaction=True)
def test_of_two_organizers_at_the_very_same_time_one_wins(organizer, campaign, runs):
    def attempt(depth: int) -> str:
        try:
            freeze_pool(
                actor=organizer, campaign=campaign, spec=depth_spec(depth), runs=runs, after=0
            )
        except ActionRefused as refused:
            return refused.code
        return "frozen"

    if connection.vendor == "sqlite":
        # Threads cannot share the suite's SQLite in memory; its writers queue anyway.
        found = [attempt(1), attempt(2)]
    else:
        found = sorted(run_at_once(attempt, (1, 2)))
    assert found == ["frozen", "overtaken"]
    assert campaign.pools.count() == 1
