"""What a sample of a given number of judgments would tell, and which pairs it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from poolbench.estimation.machine_files import (
    MachineSource,
    MachineTable,
    find_top_grade,
    list_machine_grades,
    read_machine,
)
from poolbench.estimation.machines import NONE, place_pair_grades
from poolbench.estimation.measures import DEFAULT_MEASURES
from poolbench.estimation.planning import SampleForecast
from poolbench.evaluation.evaluate import Measures, select_measures
from poolbench.files.faults import format_count
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.pooling.methods.influence import InfluencePlan, forecast_plan, plan_sample
from poolbench.pooling.run_listing import attach_machine_grades, build_listing
from poolbench.runs.inputs import QrelsSource, RunsLike, read_qrels_table, read_runs
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.tables import RunTable

Numbers: TypeAlias = "float | Iterable[float]"
DEPTH = 100
SHARES = (0.05, 0.1, 0.2, 0.4)
COLUMNS = ("number", "share", "measure", "half_width", "over_topics", "twice_topics")


@dataclass(frozen=True, eq=False)
class EstimatePlan(ResultTable):
    """What samples of several numbers of pairs would tell, by ``forecasts``. ``names``: the
    spelling of each measure by its printed name.
    """

    plan: InfluencePlan
    forecasts: tuple[SampleForecast, ...]
    names: Mapping[str, str]

    def __repr__(self) -> str:
        runs, topics = (len(each) for each in (self.plan.frame.runs, self.plan.frame.topics))
        counts = f"{format_count(runs, 'run')}, {format_count(topics, 'topic')}"
        return f"<EstimatePlan: {counts}, {len(self.plan.sizes):,} pairs>"

    def to_frame(self) -> Frame:
        """A row per number of judgments and measure: the mean over runs of the expected half-width
        of 95 % intervals, for these topics; ``over_topics``, with topics as a sample too; and
        ``twice_topics``, that with as many judgments spread over twice the topics. NaN where there
        would be no interval.
        """
        rows = make_frame(list_forecast_rows(self), columns=list(COLUMNS))
        return rows.astype(dict.fromkeys(COLUMNS[3:], "float64"))

    def draw(self, number: int, qrels: QrelsSource | None = None) -> Frame:
        """All pairs in the order in which samples take them: topic, docno, probability, whether
        they are ``drawn`` in a sample of ``number``, and the grade of those in ``qrels``, else -1.
        Filled in, it is the sample that ``estimate`` takes; a longer one has the same pairs first.
        """
        frame, order = self.plan.frame, self.plan.order
        if not 0 < number <= len(order):
            raise ValueError(f"a sample has 1 to {len(order):,} pairs, not {number}")
        drawn = np.zeros(len(order), bool)
        drawn[order[:number]] = True
        grades = np.full(len(order), NONE)
        if qrels is not None:
            grades = place_pair_grades(frame, list_machine_grades(read_qrels_table(qrels)))
        docnos = [*frame.docnos]
        columns = {
            "topic": [frame.topics[at] for at in frame.topic_index[order].tolist()],
            "docno": [docnos[at] for at in order.tolist()],
            "probability": self.plan.compute_probabilities(number)[order],
            "drawn": drawn[order],
            "grade": np.where(drawn, grades, NONE)[order],
        }
        return make_frame(columns)


def plan_estimates(
    runs: RunsLike,
    numbers: Numbers = SHARES,
    measures: Measures = DEFAULT_MEASURES,
    *,
    depth: int = DEPTH,
    machine: MachineSource | None = None,
    level: int = 1,
    top: int | None = None,
    seed: int = 0,
) -> EstimatePlan:
    """Forecast how wide the intervals of estimates would be, and draw the pairs to judge.

    Parameters
    ----------
    runs
        See ``read_runs``.
    numbers : int, float or several
        Judgments in all topics together, or shares of all pairs, such as 0.1.
    measures : str or iterable of str
        What the sample is drawn for, which is what gets intervals.
    depth : int
        All documents down to this rank can be drawn.
    machine : optional
        Grades or chances of one automatic assessor, as in ``estimate``.
    level, top : int
        The lowest relevant and the highest grade; the highest defaults to the machine's.
    seed : int
        Of the sample.

    Returns
    -------
    EstimatePlan
        ``to_frame()`` has a row per number and measure; ``draw(number)`` the pairs of a sample.

    Raises
    ------
    ValueError
        For a number that is neither a count nor a share, and a measure without an estimate.

    Examples
    --------
    >>> import poolbench as pb
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "c": 1.0}}}
    >>> plan = pb.plan_estimates(runs, [2], "P@1")
    >>> plan
    <EstimatePlan: 2 runs, 1 topic, 3 pairs>
    >>> plan.draw(2)[["topic", "docno", "probability", "drawn"]].round(2)
      topic docno  probability  drawn
    0     1     a         0.89   True
    1     1     b         0.98   True
    2     1     c         0.13  False
    """
    if depth < 1:
        raise ValueError(f"the depth must be at least 1, not {depth}")
    grades = None if machine is None else read_machine(machine, top)
    return plan_run_estimates(read_runs(runs), numbers, measures, grades, (depth, level, top, seed))


def plan_run_estimates(
    tables: Sequence[RunTable],
    numbers: Numbers,
    measures: Measures,
    machine: MachineTable | None,
    settings: tuple[int, int, int | None, int],
) -> EstimatePlan:
    """The same from tables; ``settings``: depth, level, highest grade if it is known, seed."""
    depth, level, top, seed = settings
    listing = build_listing(tables, depth, seed)
    if machine is not None:
        listing = attach_machine_grades(listing, qrels_from_rows(list_machine_grades(machine)))
    known = level if machine is None else max(level, find_top_grade(machine))
    spelled = select_measures(measures)
    values = {
        "measures": [each.name for each in spelled],
        "level": level,
        "top": known if top is None else top,
    }
    plan = plan_sample(listing, values)
    counts = [count_pairs(each, len(plan.sizes)) for each in list_numbers(numbers)]
    forecasts = forecast_plan(plan, values, counts)
    return EstimatePlan(
        plan, forecasts, {each.name: own or each.name for each, own in spelled.items()}
    )


def list_numbers(numbers: Numbers) -> list[float]:
    return [*numbers] if isinstance(numbers, Iterable) else [numbers]


def count_pairs(number: float, pairs: int) -> int:
    """An integer is a number of pairs, a float a share of ``pairs``."""
    if isinstance(number, int | np.integer) and number >= 1:
        return int(number)
    if isinstance(number, int | np.integer) or not 0 < number <= 1:
        raise ValueError(f"judgments are a number from 1, or a share such as 0.1, not {number}")
    return max(round(number * pairs), 1)


def list_forecast_rows(
    plan: EstimatePlan,
) -> list[tuple[int, float, str, float | None, float | None, float | None]]:
    """The rows of ``EstimatePlan.to_frame``, None where there would be no interval."""
    pairs = len(plan.plan.sizes)
    rows = list[tuple[int, float, str, float | None, float | None, float | None]]()
    for forecast in plan.forecasts:
        head = forecast.number, forecast.number / pairs
        by_name = {each.measure: each for each in forecast.measures}
        for each in (by_name[name] for name in plan.names):
            widths = each.half_width, each.over_topics, each.twice_topics
            has_interval = each.is_linear or forecast.has_ratios
            rows.append(
                (*head, plan.names[each.measure], *(widths if has_interval else (None,) * 3))
            )
    return rows
