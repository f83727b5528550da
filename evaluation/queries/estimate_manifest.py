"""What a set of estimates keeps beside its scores: its frame as numbers, and its manifest."""

import hashlib
from typing import Any

import numpy as np

from evaluation.queries.estimate_inputs import EstimateInputs
from judging.models import Qrels
from poolbench.estimation.calibration import FOLDS, RANK_PENALTY, TOPIC_PENALTY
from poolbench.estimation.machines import NONE, MachineInput, find_grade_penalty
from poolbench.estimation.report import LEVEL, ScoreEstimates
from poolbench.estimation.run_order import ORDER_CODES
from poolbench.estimation.text_scores import TEXT_PENALTY
from poolbench.evaluation.judgments import Floats, Ints


def build_frame_table(inputs: EstimateInputs, estimates: ScoreEstimates) -> Floats:
    """Pairs × columns, as in ``EstimateFrame``."""
    grades = [list_people_grades(inputs), *(machine.grades for machine in inputs.machines)]
    known = [np.where(each == NONE, np.nan, each) for each in grades]
    table: Floats = np.column_stack([inputs.sample.pi, *known, estimates.chances])
    return table


def list_people_grades(inputs: EstimateInputs) -> Ints:
    """People's grade of each pair of the frame; ``NONE`` where it does not count."""
    sample = inputs.sample
    grades = np.full(len(sample.pi), NONE)
    grades[sample.judged] = sample.steps.sum(axis=1).astype(int)
    return grades


def describe_drawn_sample(
    qrels: Qrels, inputs: EstimateInputs, estimates: ScoreEstimates
) -> dict[str, Any]:
    report, frame, pool = estimates.report, inputs.sample.frame, inputs.pool
    pairs = "\n".join(f"{topic} {docno}" for topic, docno in list_frame_lines(inputs))
    return {
        "pool": pool.version,
        "pool_inputs_sha256": pool.inputs_hash,
        "frame_sha256": hashlib.sha256(pairs.encode()).hexdigest(),
        "seed": inputs.seed,
        "drawn_for": list(inputs.drawn_for),
        "topics": len(frame.topics),
        "pairs": report.pairs,
        "policy": qrels.policy,
        "planned": inputs.planned,
        "used": inputs.used,
        "ended": dict(inputs.ended),
        "ended_by_grades": inputs.sample.ended_by_grades,
        "judged": report.judged,
        "skipped": report.skipped,
        "level": LEVEL,
        "machines": [describe_used_machine(inputs, machine) for machine in inputs.machines],
        "texts": inputs.texts
        and {"coverage": inputs.texts.coverage, "sha256": inputs.texts.sha256},
        "gain": report.gain,
        "order": next((each.code for each in report.remarks if each.code in ORDER_CODES), ""),
        "features": [*report.machines, "ranks", "topics"],
        "penalties": list_penalties(inputs),
        "folds": FOLDS,
        "no_intervals": {each.measure: each.why for each in report.measures if each.why},
        "remarks": [
            {"code": each.code, "measure": each.measure, "count": len(each.names)}
            for each in report.remarks
            if each.code not in ORDER_CODES
        ],
    }


def list_penalties(inputs: EstimateInputs) -> dict[str, float]:
    """Of the calibration, by what they hold back."""
    penalties = {"ranks": RANK_PENALTY, "topics": TOPIC_PENALTY}
    if inputs.machines:
        penalties["machines"] = find_grade_penalty(len(inputs.machines))
    return penalties | ({"texts": TEXT_PENALTY} if inputs.texts else {})


def list_frame_lines(inputs: EstimateInputs) -> list[tuple[str, str]]:
    frame = inputs.sample.frame
    docnos = (str(docno) for docno in frame.docnos)
    topics = (frame.topics[at] for at in frame.topic_index.tolist())
    return list(zip(topics, docnos, strict=True))


def describe_used_machine(inputs: EstimateInputs, machine: MachineInput) -> dict[str, Any]:
    """Name, coverage, rows of its log, hash of its prompt card and model if it has them, and its
    grades beside people's: pairs and their weight 1 / π, in all and by topic.
    """
    sample = inputs.sample
    assessor = inputs.pool.campaign.automatic_assessors.select_related("card").get(
        name=machine.name
    )
    people, own = list_people_grades(inputs)[sample.judged], machine.grades[sample.judged]
    topic = sample.frame.topic_index[sample.judged]
    total, by_topic = dict[tuple[int, int], list[float]](), dict[tuple[int, int, int], int]()
    for a, b, t, chance in zip(
        people.tolist(), own.tolist(), topic.tolist(), sample.chance.tolist(), strict=True
    ):
        cell = total.setdefault((a, b), [0, 0.0])
        cell[0] += 1
        cell[1] += 1 / chance
        by_topic[t, a, b] = by_topic.get((t, a, b), 0) + 1
    return {
        "name": machine.name,
        "coverage": machine.coverage,
        "rows": inputs.choice.rows[machine.name],
        "has_chances": machine.chances is not None,
        "card_sha256": assessor.card.sha256 if assessor.card else "",
        "model": assessor.model,
        "confusion": [
            {"people": a, "machine": None if b == NONE else b, "pairs": n, "weight": w}
            for (a, b), (n, w) in sorted(total.items())
        ],
        "by_topic": [
            [sample.frame.topics[t], a, None if b == NONE else b, n]
            for (t, a, b), n in sorted(by_topic.items())
        ],
    }
