"""Effect of assessor disagreement on the run ranking, from files."""

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from poolbench.commands.command import CliError, InputCommand, Output
from poolbench.commands.files import FileReader, file_stem
from poolbench.commands.notes import reject_runs_without_topics
from poolbench.commands.options import (
    add_level,
    build_scoring_options,
    explain_value_errors,
    read_run_tags,
    state_scale,
)
from poolbench.commands.progress import ProgressBar
from poolbench.commands.run_lists import add_file_list, add_run_tags
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measures
from poolbench.judging.policies import DEFAULT_POLICY, QrelsPolicy, UnknownPolicyError, get_policy
from poolbench.reliability.disagreement.ballots import (
    BallotTable,
    JointPolicyError,
    build_ballots,
    build_ballots_from_qrels,
)
from poolbench.reliability.disagreement.formats import FORMATS
from poolbench.reliability.disagreement.panel import (
    DisagreementPanel,
    build_panel_from_tables,
    collect_ballot_grades,
)
from poolbench.reliability.disagreement.rankings import TREATMENTS
from poolbench.reliability.disagreement.report import (
    DRAWS,
    SWAPS,
    Between,
    build_disagreement_report,
    can_rank_runs,
)
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from poolbench.statistics.draws import ResamplingOptions
from poolbench.verdicts import Verdict

MEASURE = "ndcg_cut_10"


class DisagreementCommand(InputCommand):
    help = (
        "Show how assessor disagreement affects the run ranking, and which pairs to "
        "adjudicate first."
    )

    def add_inputs(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add_file_list(parser, "--runs", "RUNS", "run files (plain or gzip)")
        add_file_list(
            parser, "--qrels", "FILES", "one file per assessor, who is named after the file"
        )
        add("--reference", metavar="QRELS", help="compare with these qrels instead of the policy's")
        add_level(parser)

    def add_options(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "-m",
            dest="measure",
            metavar="MEASURE",
            help="measure (default: the campaign's, or nDCG@10)",
        )
        add("--policy", default=DEFAULT_POLICY, help="qrels policy (default: %(default)s)")
        add(
            "--treat",
            choices=tuple(TREATMENTS),
            default="filled",
            help="pairs that an assessor did not judge: filled by the policy, or left out",
        )
        add("--digits", type=int, help="round scores to this number of decimals, as in print")
        add_run_tags(parser, "--between", "consider only the order of these two runs", most=2)
        add("--draws", type=int, default=DRAWS, help="bootstrap draws (default: %(default)s)")
        add(
            "--swaps",
            type=int,
            default=SWAPS,
            help="draws of one random assessor per topic (default: %(default)s)",
        )
        add("--seed", type=int, default=0, help="random seed (default: 0)")
        add("--format", choices=tuple(FORMATS), default="table")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        with explain_value_errors(UnknownMeasureError, UnknownPolicyError, JointPolicyError):
            ResamplingOptions(options["seed"], options["draws"])
            ResamplingOptions(options["seed"], options["swaps"])
            panel = self.build_panel(options, out)
        report = build_disagreement_report(
            replace(panel, digits=options["digits"]),
            treat=options["treat"],
            draws=options["draws"],
            swaps=options["swaps"],
            seed=options["seed"],
            between=self._find_run_pair(panel, options["between"], out),
            progress=ProgressBar(verbose=bool(options["verbosity"])),
        )
        verdict = self.judge_campaign(options)
        write = FORMATS[options["format"]]
        out.write(write(report) if verdict is None else write(report, verdict))

    def judge_campaign(self, options: Mapping[str, Any]) -> Verdict | None:  # noqa: ARG002
        """The verdict on agreement, which is that of a campaign."""
        return None

    def build_panel(self, options: Mapping[str, Any], out: Output) -> DisagreementPanel:
        """The runs, and the grades by each assessor, in the files of the command line."""
        if not (options["runs"] and options["qrels"]):
            raise CliError("Both --runs and --qrels are required.")
        measure = get_ranking_measure(options["measure"] or MEASURE)
        policy, scoring = get_policy(options["policy"]), build_scoring_options(options)
        reader = FileReader(out)
        runs = reader.read_all(options["runs"], read_run, lenient=True)
        ballots = self._read_ballots(options, policy, reader)
        reject_runs_without_topics(reader, runs, ballots.topics)
        reader.raise_if_rejected()
        grades = np.array([*collect_ballot_grades(ballots)], np.int32)
        (measure,) = state_scale(out, options, [measure], grades)
        return build_panel_from_tables(list(runs.values()), ballots, measure, scoring)

    def _find_run_pair(self, panel: DisagreementPanel, values: list[str], out: Output) -> Between:
        """The indices of two different runs of the panel."""
        if not values:
            return None
        reader = FileReader(out)
        tags = read_run_tags(reader, values, panel.tags)
        reader.raise_if_rejected()
        if missing := [tag for tag in tags if tag not in panel.tags]:
            raise CliError(f"Unknown run tag: {', '.join(missing)}.")
        if len(tags) != 2:
            raise CliError("Specify two different runs.")
        return panel.tags.index(tags[0]), panel.tags.index(tags[1])

    def _read_ballots(
        self, options: Mapping[str, Any], policy: QrelsPolicy, reader: FileReader
    ) -> BallotTable:
        names = [file_stem(path) for path in options["qrels"]]
        if duplicates := sorted({name for name in names if names.count(name) > 1}):
            raise CliError(f"Duplicate assessor names: {', '.join(duplicates)}. Rename a file.")
        tables = reader.read_all(options["qrels"], read_qrels)
        reference = reader.read(options["reference"], read_qrels) if options["reference"] else None
        ballots = build_ballots_from_qrels(
            {file_stem(path): table for path, table in tables.items()}
        )
        return build_ballots(
            ballots, policy, reference.by_pair() if reference is not None else None
        )


def get_ranking_measure(name: str) -> Measure:
    """The named measure; raises ``CliError`` if it does not rank runs."""
    measures = parse_measures([name])
    if len(measures) > 1 or not can_rank_runs(measures[0]):
        raise CliError(f"{name} does not rank runs. Use one measure for which higher is better.")
    return measures[0]
