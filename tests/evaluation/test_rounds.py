"""A campaign in two rounds, held against trec_eval on filtered files, and one of two tasks."""

import random
from collections import defaultdict
from datetime import timedelta

import pytest
import pytrec_eval
from django.utils import timezone

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.lifecycle.campaign import list_campaign_dates, submission_tasks
from campaigns.lifecycle.status import get_campaign_status
from campaigns.models import Role, Run, Topic
from campaigns.services.campaigns import update_campaign
from campaigns.services.matrices import load_run_table
from campaigns.services.run_files import read_original_file
from campaigns.services.runs import submit_and_check_run
from campaigns.services.tasks import create_task, delete_task, update_task
from evaluation.queries.interim_scores import compute_interim_scores
from evaluation.queries.paper import get_paper_results
from evaluation.queries.score_sets import get_reader, list_score_sets_for
from evaluation.queries.scoring_inputs import rebuild_run_batch
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.models import Qrels
from poolbench.pooling.spec import depth_spec
from pooling.queries.inputs import draft_pool
from pooling.services.freeze import freeze_pool
from tests.world.people import joined
from tests.world.rounds import DEPTH, MEASURES, TOPICS, Rounds, submit, write_lines

Pair = tuple[str, str]


def read_grades(qrels: Qrels) -> dict[Pair, int]:
    lines = map(str.split, store.get_blob(qrels.path).decode().splitlines())
    return {(topic, docno): int(grade) for topic, _, docno, grade in lines}


def score_filtered(rounds: Rounds, run: Run) -> dict[str, dict[str, float]]:
    """By trec_eval, of the submitted file and the qrels without the pairs of the first round."""
    before, after = map(read_grades, rounds.qrels)
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for (topic, docno), grade in after.items():
        if (topic, docno) not in before:
            grades[topic][docno] = grade
    ranked: dict[str, dict[str, float]] = defaultdict(dict)
    for topic, _, docno, _, score, _ in map(
        str.split, read_original_file(run).decode().splitlines()
    ):
        if (topic, docno) not in before:
            ranked[topic][docno] = float(score)
    evaluator = pytrec_eval.RelevanceEvaluator(dict(grades), set(MEASURES))
    scores: dict[str, dict[str, float]] = evaluator.evaluate(dict(ranked))
    return scores


def test_scores_of_a_round_are_those_of_trec_eval_on_filtered_files(rounds: Rounds) -> None:
    score_set = rounds.sets[1]
    assert score_set.topics == [str(n) for n in range(1, TOPICS + 1)]
    own = [run for tag, run in rounds.runs.items() if tag.startswith("r2")]
    assert set(score_set.runs.values_list("run", flat=True)) == {run.pk for run in own}
    for run in own:
        expected, table = score_filtered(rounds, run), score_set.runs.get(run=run).table
        for at, topic in enumerate(score_set.topics):
            values = dict(zip(score_set.measures, table[at].tolist(), strict=True))
            for name in MEASURES:
                assert values[name] == pytest.approx(expected[topic][name]), (topic, name)


def test_scores_say_what_was_removed(rounds: Rounds) -> None:
    first, second = rounds.sets
    assert first.conditions["task"] == "round-1"
    assert "removed" not in first.conditions
    before = read_grades(rounds.qrels[0])
    lines = [
        line.split()
        for tag, run in rounds.runs.items()
        if tag.startswith("r2")
        for line in read_original_file(run).decode().splitlines()
    ]
    removed = sum((row[0], row[2]) in before for row in lines)
    assert second.conditions["task"] == "round-2"
    assert second.conditions["removed"] == {
        "qrels_version": 1,
        "sha256": rounds.qrels[0].sha256,
        "judged_pairs": len(before),
        "documents": removed,
    }
    results = get_paper_results(second, rounds.runs["r2-0"].team)
    assert results is not None
    assert "round-2" in str(results.conditions.provenance["task"])


def test_the_pool_of_a_round_is_that_of_the_ranks_that_are_left(rounds: Rounds) -> None:
    before = read_grades(rounds.qrels[0])
    expected: set[Pair] = set()
    for tag in ("r2-0", "r2-1", "r2-2"):
        by_topic: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for line in read_original_file(rounds.runs[tag]).decode().splitlines():
            topic, _, docno, _, score, _ = line.split()
            if (topic, docno) not in before:
                by_topic[topic].append((-float(score), docno))
        for topic, rows in by_topic.items():
            expected |= {(topic, docno) for _, docno in sorted(rows)[:DEPTH]}
    pool = rounds.pools[1]
    assert set(pool.items.values_list("topic__number", "docno")) == expected
    assert pool.task == rounds.second
    assert pool.spec["removed"]["sha256"] == rounds.qrels[0].sha256
    assert rounds.pools[0].spec["topics"] == [str(n) for n in range(1, TOPICS - 1)]
    assert "removed" not in rounds.pools[0].spec


def test_interim_scores_and_curves_are_of_what_is_left(rounds: Rounds) -> None:
    """The task of the latest pool."""
    interim = compute_interim_scores(
        actor=rounds.organizer, campaign=rounds.campaign, policy="maximum", names=MEASURES
    )
    assert {run.tag for run in interim.runs} == {"r2-0", "r2-1", "r2-2"}
    for run, means in zip(interim.runs, interim.means, strict=True):
        stored = rounds.sets[1].runs.get(run=run).means
        for measure, mean in zip(interim.measures, means, strict=True):
            assert mean == pytest.approx(stored[measure.name]), measure.name
    run = rounds.runs["r2-1"]
    batch = rebuild_run_batch(rounds.sets[1], run)
    assert int(batch.lengths.sum()) == len(load_run_table(run)) < 20 * TOPICS


def test_each_task_has_scores_that_its_teams_see(rounds: Rounds) -> None:
    member = joined(rounds.campaign, "pat", Role.PARTICIPANT, rounds.runs["r1-0"].team)
    reader = get_reader(member, rounds.campaign)
    for score_set in rounds.sets:
        release_scores(actor=rounds.organizer, score_set=score_set)
    visible = list_score_sets_for(rounds.campaign, reader)
    assert {each.pk for each in visible} == {each.pk for each in rounds.sets}
    again = score_campaign(
        actor=rounds.organizer, campaign=rounds.campaign, qrels=rounds.qrels[1],
        task=rounds.second,
    )  # fmt: skip
    release_scores(actor=rounds.organizer, score_set=again)
    visible = list_score_sets_for(rounds.campaign, reader)
    assert {each.pk for each in visible} == {rounds.sets[0].pk, again.pk}


def test_only_runs_after_the_scores_of_their_own_round_are_late(rounds: Rounds) -> None:
    release_scores(actor=rounds.organizer, score_set=rounds.sets[0])
    dice = random.Random(1)  # noqa: S311
    late, timely = (
        submit(rounds.campaign, rounds.organizer, write_lines(dice, tag, range(1, 4)), task=task)
        for tag, task in (("late", rounds.first), ("timely", rounds.second))
    )
    assert (late.after_release, timely.after_release) == (True, False)


def test_a_check_names_documents_that_were_judged_before(rounds: Rounds) -> None:
    topic, docno = min(read_grades(rounds.qrels[0]))
    line = f"{topic} Q0 {docno} 1 2.0 seen\n"
    fresh = f"{topic} Q0 new-document 2 1.0 seen\n"
    run = submit(rounds.campaign, rounds.organizer, (line + fresh).encode(), task=rounds.second)
    assert run.state == "accepted"
    assert "W18" in run.fault_report.counts
    assert list(load_run_table(run).docnos) == ["new-document"]
    assert read_original_file(run).decode() == line + fresh
    alone = line.replace("seen", "alone").encode()
    nothing = submit(rounds.campaign, rounds.organizer, alone, task=rounds.second)
    assert nothing.state == "rejected"
    update_task(actor=rounds.organizer, task=rounds.second, refuse_judged=True)
    strict = (line + fresh).replace("seen", "strict").encode()
    refused = submit(rounds.campaign, rounds.organizer, strict, task=rounds.second)
    assert "E21" in refused.fault_report.counts


def test_a_run_is_for_the_topics_of_its_task(rounds: Rounds) -> None:
    data = write_lines(random.Random(2), "wide", range(1, TOPICS + 1))  # noqa: S311
    run = submit(rounds.campaign, rounds.organizer, data, task=rounds.first)
    assert run.state == "rejected"
    assert run.fault_report.counts["E09"] == 2


def test_a_run_names_its_task_unless_one_is_open(rounds: Rounds) -> None:
    dice = random.Random(3)  # noqa: S311
    with pytest.raises(ActionRefused, match="several tasks"):
        submit(rounds.campaign, rounds.organizer, write_lines(dice, "which", range(1, 3)))
    over = timezone.now() - timedelta(hours=1)
    update_task(actor=rounds.organizer, task=rounds.first, runs_deadline=over)
    run = submit(rounds.campaign, rounds.organizer, write_lines(dice, "which", range(1, 3)))
    assert run.task == rounds.second
    team = rounds.runs["r1-0"].team
    member = joined(rounds.campaign, "pat", Role.PARTICIPANT, team)
    with pytest.raises(ActionRefused, match="deadline was"):
        submit_and_check_run(
            actor=member, campaign=rounds.campaign, team=team, task=rounds.first,
            data=write_lines(dice, "too-late", range(1, 3)), file_name="run",
        )  # fmt: skip


def test_the_run_limit_counts_by_task(rounds: Rounds) -> None:
    update_task(actor=rounds.organizer, task=rounds.second, max_runs_per_team=1)
    dice = random.Random(4)  # noqa: S311
    with pytest.raises(ActionRefused, match="1 accepted runs"):
        submit(rounds.campaign, rounds.organizer, write_lines(dice, "more", range(1, 3)),
               task=rounds.second, team="Team 0")  # fmt: skip
    submit(rounds.campaign, rounds.organizer, write_lines(dice, "more", range(1, 3)),
           task=rounds.first, team="Team 0")  # fmt: skip


def test_what_scores_depend_on_is_fixed(rounds: Rounds) -> None:
    with pytest.raises(ActionRefused, match="fixed"):
        update_task(actor=rounds.organizer, task=rounds.second, judged_before=2)
    rounds.second.refresh_from_db()
    with pytest.raises(ActionRefused, match="fixed"):
        update_task(actor=rounds.organizer, task=rounds.second, topics=["1"])
    with pytest.raises(ActionRefused, match="stay"):
        delete_task(actor=rounds.organizer, task=rounds.first)
    with pytest.raises(ActionRefused, match="no qrels version 9"):
        create_task(
            actor=rounds.organizer, campaign=rounds.campaign, name="Round 3", judged_before=9
        )


def test_a_pool_has_runs_of_one_task(rounds: Rounds) -> None:
    with pytest.raises(ActionRefused, match="several tasks"):
        freeze_pool(
            actor=rounds.organizer, campaign=rounds.campaign, spec=depth_spec(3),
            runs=rounds.runs.values(),
        )  # fmt: skip


def test_nothing_of_the_earlier_qrels_can_score_a_round(rounds: Rounds) -> None:
    with pytest.raises(ActionRefused, match="nothing of qrels 1 stays"):
        score_campaign(
            actor=rounds.organizer, campaign=rounds.campaign, qrels=rounds.qrels[0],
            task=rounds.second,
        )  # fmt: skip


def test_later_topics_are_not_those_of_a_round_with_a_pool(rounds: Rounds) -> None:
    """Round 2 was given no list: it has the topics that there were."""
    Topic.objects.create(campaign=rounds.campaign, number="99", title="new", position=99)
    assert rounds.second.list_topic_numbers() == [str(n) for n in range(1, TOPICS + 1)]
    later = create_task(actor=rounds.organizer, campaign=rounds.campaign, name="Round 3")
    assert "99" in later.list_topic_numbers()


def test_a_released_round_is_not_opened_again(rounds: Rounds) -> None:
    over, ahead = (timezone.now() + timedelta(hours=hours) for hours in (-1, 1))
    update_task(actor=rounds.organizer, task=rounds.first, runs_deadline=over)
    update_task(actor=rounds.organizer, task=rounds.first, runs_deadline=ahead)
    update_task(actor=rounds.organizer, task=rounds.first, runs_deadline=over)
    release_scores(actor=rounds.organizer, score_set=rounds.sets[0])
    for later in (ahead, None):
        rounds.first.refresh_from_db()
        with pytest.raises(ActionRefused, match="stays closed"):
            update_task(actor=rounds.organizer, task=rounds.first, runs_deadline=later)


def test_a_task_ends_with_the_campaign(rounds: Rounds) -> None:
    ends = timezone.now() + timedelta(hours=1)
    update_campaign(actor=rounds.organizer, campaign=rounds.campaign, runs_deadline=ends)
    rounds.second.refresh_from_db()
    with pytest.raises(ActionRefused, match="comes first"):
        update_task(
            actor=rounds.organizer, task=rounds.second, runs_deadline=ends + timedelta(hours=1)
        )


def test_teams_are_asked_for_runs_while_a_task_is_open(rounds: Rounds) -> None:
    member = joined(rounds.campaign, "pat", Role.PARTICIPANT, rounds.runs["r1-0"].team)

    def list_asked() -> list[str]:
        status = get_campaign_status(rounds.campaign, member)
        return [task.page for task in submission_tasks(status) if task.applies]

    assert list_asked() == ["run-upload"]
    over = timezone.now() - timedelta(hours=1)
    update_task(actor=rounds.organizer, task=rounds.first, runs_deadline=over)
    assert list_asked() == ["run-upload"]
    update_task(actor=rounds.organizer, task=rounds.second, runs_deadline=over)
    assert list_asked() == []
    ahead = timezone.now() + timedelta(days=2)
    create_task(actor=rounds.organizer, campaign=rounds.campaign, name="Third", runs_deadline=ahead)
    release_scores(actor=rounds.organizer, score_set=rounds.sets[0])
    assert list_asked() == ["run-upload"]
    dates = list_campaign_dates(get_campaign_status(rounds.campaign, member))
    assert ("Runs close: Third", ahead) in [(date.ahead, date.at) for date in dates]


def test_a_pool_of_a_round_leaves_the_other_tasks_open(rounds: Rounds) -> None:
    """The question offers the deadline of the round, not the end of all submission."""
    runs = [run for tag, run in rounds.runs.items() if tag.startswith("r2")]
    draft = draft_pool(
        actor=rounds.organizer, campaign=rounds.campaign, spec=depth_spec(9), runs=runs
    )
    (matter, *_) = draft.facts.describe().open
    assert "Submission to Round 2 is open" in matter.text
    assert matter.remedy is None
    assert matter.url.endswith("/setup/tasks/edit/round-2/")
    over = timezone.now() - timedelta(hours=1)
    update_task(actor=rounds.organizer, task=rounds.second, runs_deadline=over)
    for run in runs:
        run.refresh_from_db()
    draft = draft_pool(
        actor=rounds.organizer, campaign=rounds.campaign, spec=depth_spec(9), runs=runs
    )
    assert draft.facts.describe().open == ()
