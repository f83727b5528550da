"""Machines as second witnesses, from files: what their grades are worth beside people's."""

from collections.abc import Mapping
from dataclasses import dataclass

from poolbench.estimation.diagnostics.findings import list_findings
from poolbench.estimation.diagnostics.formats import COLUMNS, iter_witness_rows
from poolbench.estimation.diagnostics.witness import (
    MachineReport,
    WitnessInputs,
    WitnessReport,
    report_witnesses,
)
from poolbench.estimation.estimate import read_estimation_inputs
from poolbench.estimation.machine_files import MachinesLike
from poolbench.estimation.measures import DEFAULT_MEASURES
from poolbench.estimation.remarks import Remark
from poolbench.evaluation.evaluate import Measures
from poolbench.files.name_lists import choose_named
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.runs.inputs import (
    JudgedSource,
    RunsLike,
    has_probabilities,
    read_qrels_table,
    read_sample_table,
)
from poolbench.runs.sampled_qrels import take_judged_pairs


@dataclass(frozen=True, eq=False, repr=False)
class ExaminedMachines(ResultTable):
    """The ``report`` on machines: confusion, ranking, alarms and gain of each."""

    report: WitnessReport

    def __repr__(self) -> str:
        names = ", ".join(each.machine for each in self.report.machines)
        judged = f"{self.report.judged:,} of {self.report.pairs:,} pairs judged"
        return f"<ExaminedMachines: {names}; {judged}>"

    def __getitem__(self, machine: str) -> MachineReport:
        """The report on one machine; ``why`` says why it says nothing."""
        named = {each.machine: each for each in self.report.machines}
        return named[choose_named({name: name for name in named}, machine, "machine")]

    def list_findings(self, machine: str = "") -> tuple[Remark, ...]:
        """What is to be said of a machine (default: the first), alarms first."""
        return list_findings(self[machine or self.report.machines[0].machine])

    def to_frame(self) -> Frame:
        """A row per machine and figure, with its interval, p by Holm, and whether it is an
        alarm; NaN where there is none.
        """
        rows = [row for each in self.report.machines for row in iter_witness_rows(each)]
        table = make_frame(rows, columns=list(COLUMNS))
        return table.astype(dict.fromkeys(COLUMNS[3:7], "float64"))


def examine_machines(
    runs: RunsLike,
    judgments: JudgedSource,
    machines: MachinesLike,
    measures: Measures = DEFAULT_MEASURES,
    *,
    teams: Mapping[str, str] | None = None,
    level: int = 1,
    top: int | None = None,
    gains: Mapping[int, float] | None = None,
    seed: int = 0,
) -> ExaminedMachines:
    """What machines' grades are worth beside people's.

    Parameters
    ----------
    runs : dict by run tag, or iterable
        See ``read_runs``.
    judgments : path, bytes, dict or DataFrame
        People's grades: qrels, of which every pair counts alike and nothing is said of others; or
        a sample as ``estimate`` reads it, from which the whole pool is described.
    machines : file, dict or dict by name
        As in ``estimate``.
    measures : str or list of str
        Those that have estimates, by which runs are ranked.
    teams : dict, optional
        The team of each run: with it, which teams a machine favours.
    level, top, gains, seed : optional
        As in ``estimate``.

    Returns
    -------
    ExaminedMachines
        ``to_frame()`` has a row per figure; ``list_findings()`` says them in sentences.

    Raises
    ------
    ValueError, InvalidFile
        As ``estimate``.

    Examples
    --------
    >>> import poolbench as pb
    >>> people = {str(t): {f"d{n}": int(n < 3) for n in range(6)} for t in range(1, 6)}
    >>> machine = {str(t): {f"d{n}": int(n < 4) for n in range(6)} for t in range(1, 6)}
    >>> runs = {"x": {t: {d: 6.0 - at for at, d in enumerate(own)} for t, own in people.items()}}
    >>> examined = pb.examine_machines(runs, people, machine, "P@5")
    >>> shares = examined.to_frame().query("figure == 'share'")
    >>> shares[["subject", "value"]].round(2).iloc[1:3]
                   subject  value
    3  people 0, machine 1   0.33
    4  people 1, machine 0   0.00
    """
    drawn = (
        read_sample_table(judgments)
        if has_probabilities(judgments)
        else take_judged_pairs(read_qrels_table(judgments))
    )
    inputs = read_estimation_inputs(runs, drawn, measures, machines, level, top, gains)
    known = WitnessInputs(teams or {})
    report = report_witnesses(inputs.sample, inputs.machines, inputs.measures, seed, known)
    return ExaminedMachines(report)
