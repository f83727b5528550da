"""A random campaign from upload to the scores page, held against trec_eval and the commands.

Runs have ties, odd line order and topics missing; grades go from -1 to 3 with level 2;
documents stay unjudged, some are judged by two assessors.
"""

import json
import random
from typing import Any

import pytest
import pytrec_eval
from django.urls import reverse

from campaigns import store
from campaigns.models import Campaign, Document, Role, Topic, User
from campaigns.services.campaigns import create_campaign
from campaigns.services.people import get_or_create_team
from campaigns.services.run_files import read_original_file
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels, verify_qrels
from poolbench.evaluation.measures.names import parse_measure
from poolbench.judging.scale import GradeSpec
from poolbench.pooling.spec import depth_spec
from pooling.services.freeze import freeze_pool
from tests.poolbench.commands.conftest import run_on_files
from tests.world.files import checked_run
from tests.world.people import joined

TOPICS, DOCS, RUNS = 12, 60, 5
SCALE = [GradeSpec(g, f"grade {g}", "mriya"[g + 1], max(g, 0)) for g in range(-1, 4)]
MEASURES = ("map", "bpref", "ndcg", "ndcg_cut_5", "P_5", "recall_10", "Rprec", "recip_rank",
            "num_ret", "num_rel", "num_rel_ret")  # fmt: skip


def run_of(dice: random.Random, tag: str) -> bytes:
    """Lines in any order, ranks that mean nothing, scores that tie, a topic left out."""
    lines = []
    for topic in dice.sample(range(1, TOPICS + 1), TOPICS - 1):
        found = [f"d{number}" for number in dice.sample(range(DOCS), 25)]
        lines += [f"{topic} Q0 {d} {dice.randrange(99)} {dice.randrange(6)} {tag}\n" for d in found]
    dice.shuffle(lines)
    return "".join(lines).encode()


@pytest.fixture
def played(organizer) -> dict[str, Any]:
    dice = random.Random(20)  # noqa: S311 (the same each time)
    campaign = create_campaign(
        actor=organizer, title="Whole", slug="whole", scale=SCALE, relevance_level=2
    )
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(n), title=f"topic {n}", position=n)
        for n in range(1, TOPICS + 1)
    )
    Document.objects.bulk_create(Document(campaign=campaign, docno=f"d{n}") for n in range(DOCS))
    team = get_or_create_team(actor=organizer, campaign=campaign, name="Team")
    runs = [checked_run(organizer, campaign, team, run_of(dice, f"r{n}")) for n in range(RUNS)]
    assert [run.state for run in runs] == ["accepted"] * RUNS
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(12), runs=runs)
    judges = [joined(campaign, name, Role.ASSESSOR) for name in ("ann", "bob")]
    people = {str(n): judges for n in range(1, TOPICS + 1)}
    create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    pairs = list(pool.items.order_by("pk").values_list("topic__number", "docno"))
    for judge in judges:
        judged = [pair for pair in pairs if pair[0] != "3" and dice.random() < 0.8]
        rows = [(*pair, dice.choice((-1, 0, 0, 0, 1, 2, 3))) for pair in judged]
        import_judgments(actor=organizer, campaign=campaign, assessor=judge, rows=rows)
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="maximum")
    score_set = score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=MEASURES)
    return {"campaign": campaign, "runs": runs, "qrels": qrels, "set": score_set, "judges": judges}


def trec_eval(qrels: str, run: bytes, level: int) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in map(str.split, qrels.splitlines()):
        grades.setdefault(topic, {})[docno] = int(grade)
    ranked: dict[str, dict[str, float]] = {}
    for topic, _, docno, _, score, _ in map(str.split, run.decode().splitlines()):
        ranked.setdefault(topic, {})[docno] = float(score)
    wanted = {name for name in pytrec_eval.supported_measures if name != "runid"}
    return pytrec_eval.RelevanceEvaluator(grades, wanted, relevance_level=level).evaluate(ranked)


def test_scores_are_those_of_trec_eval(played):
    text, differing, compared = store.get_blob(played["qrels"].path).decode(), [], 0
    # trec_eval has no judged@k.
    places = [(at, name) for at, name in enumerate(played["set"].measures) if name in MEASURES]
    for run in played["runs"]:
        expected = trec_eval(text, read_original_file(run), 2)
        table = played["set"].runs.get(run=run).table
        for at, topic in enumerate(played["set"].topics):
            if topic not in expected:
                continue
            for column, name in places:
                compared += 1
                ours, theirs = table[at, column], expected[topic][name]
                if ours != pytest.approx(theirs, abs=1e-9):
                    differing.append((run.tag, topic, name, ours, theirs))
    assert differing == []
    assert compared > RUNS * (TOPICS - 2) * len(MEASURES) * 0.9


def test_the_downloads_are_what_the_command_prints_of_the_exported_files(
    played, tmp_path, as_user, organizer
):
    client, slug = as_user(organizer), played["campaign"].slug
    exported = client.get(reverse("qrels-download", args=[slug, 1])).content
    (tmp_path / "qrels.txt").write_bytes(exported)
    for run in played["runs"]:
        sent = client.get(reverse("run-file", args=[slug, run.pk])).content
        (tmp_path / "run.txt").write_bytes(sent)
        wanted = [part for name in (*MEASURES, "judged_10") for part in ("-m", name)]
        files = [str(tmp_path / "qrels.txt"), str(tmp_path / "run.txt")]
        printed = run_on_files("evaluate", *files, *wanted, "-q", "-c", "-l", "2").out
        address = reverse("run-scores-download", args=[slug, played["set"].pk, run.pk, "txt"])
        assert client.get(address).content.decode() == printed


def test_later_judgments_change_neither_release_nor_scores(played, as_user, organizer):
    campaign, qrels, score_set = played["campaign"], played["qrels"], played["set"]
    release_scores(actor=organizer, score_set=score_set)
    address = reverse("score-set-download", args=[campaign.slug, score_set.pk, "csv"])
    before = as_user(organizer).get(address).content
    for judge in played["judges"]:
        rows = [(str(t), f"d{n}", 3) for t in range(1, 6) for n in range(30)]
        import_judgments(actor=organizer, campaign=campaign, assessor=judge, rows=rows)
    assert verify_qrels(qrels)
    assert as_user(organizer).get(address).content == before
    later = freeze_qrels(actor=organizer, campaign=campaign, policy="maximum")
    assert (verify_qrels(later), later.sha256 != qrels.sha256) == (True, True)


def test_the_agreement_page_says_what_the_command_says_of_the_exported_files(
    played, tmp_path, as_user, organizer
):
    client, slug = as_user(organizer), played["campaign"].slug
    files = []
    for judge in played["judges"]:
        file = tmp_path / judge.username
        address = reverse("assessor-qrels", args=[slug, judge.username])
        file.write_bytes(client.get(address).content)
        files.append(str(file))
    printed = run_on_files("agreement", *files, "-l", "2", "--format", "json").out
    told = client.get(reverse("agreement-download", args=[slug, "json"])).json()
    read = json.loads(printed)
    # Files know neither order nor time; of bias they know as much.
    biases = [[row["bias"] for row in it.pop("quality")["assessors"]] for it in (told, read)]
    assert biases[0] == biases[1]
    assert told.pop("verdict")["state"] == "bad"  # a file knows no runs
    assert told == read


def test_exported_qrels_imported_elsewhere_are_exported_the_same(played, as_user, organizer):
    campaign = played["campaign"]
    judge: User = joined(campaign, "cleo", Role.ASSESSOR)
    address = reverse("assessor-qrels", args=[campaign.slug, "ann"])
    text = as_user(organizer).get(address).content.decode()
    rows = [(t, d, int(g)) for t, _, d, g in map(str.split, text.splitlines())]
    import_judgments(actor=organizer, campaign=campaign, assessor=judge, rows=rows)
    again = as_user(organizer).get(address.replace("ann", "cleo")).content.decode()
    assert (again, len(rows) > 200) == (text, True)


def test_best_median_and_worst_are_over_all_runs(played, as_user, organizer):
    campaign: Campaign = played["campaign"]
    address = reverse("score-set-download", args=[campaign.slug, played["set"].pk, "json"])
    told = as_user(organizer).get(address).json()
    for name in MEASURES:
        values = sorted(run["means"][name] for run in told["runs"])
        if parse_measure(name)[0].family.better == "neither":
            values[0] = values[-1] = None
        assert told["spread"][name] == {"best": values[-1], "median": values[2], "worst": values[0]}
