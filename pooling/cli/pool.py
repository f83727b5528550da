"""Build a pool from run files, without a database."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from campaigns.cli.command import CliError, FileCommand, Output
from campaigns.cli.files import FileReader
from campaigns.cli.processes import choose_process_count
from campaigns.cli.run_lists import add_run_files
from campaigns.core.faults import format_count
from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.core.tables import RunTable
from pooling.cli.option_checks import check_known_tags, check_run_choice, check_unique_tags
from pooling.core.formats import FORMATS, FRAME_FORMATS
from pooling.core.frame import SamplingFrame, build_frame, fill_frame_grades
from pooling.core.pool_builder import build_pool_table
from pooling.core.run_listing import truncate_run
from pooling.core.spec import PoolSpec, depth_spec, sessions_by_spec
from pooling.core.spec_file import read_spec
from pooling.core.tables import PoolTable, count_pool_sizes

LISTED_RUNS = 10
"""Runs listed one by one."""


class PoolCommand(FileCommand):
    help = "Build a depth-K pool, or a pool defined by a spec."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add_run_files(parser, "run files: topic Q0 docno rank score tag")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--depth", metavar="K", type=int, help="ranks taken from each run")
        source.add_argument(
            "--spec", metavar="FILE", help="pool spec (YAML or JSON), see docs/pooling.md"
        )
        add("--seed", metavar="N", type=int, help="random seed, instead of that in the spec")
        add("--format", choices=(*FORMATS, *FRAME_FORMATS), default="trec", help="default: trec")
        add("--qrels", metavar="FILE", help="grades for the formats strata and prels")
        add("--output", metavar="FILE", help="output file (default: standard output)")
        add(
            "--jobs",
            metavar="N",
            type=int,
            help="processes for reading (default: one per core for large inputs)",
        )

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        if options["depth"] is not None and options["depth"] < 1:
            raise CliError(f"--depth must be an integer of at least 1, not {options['depth']}.")
        if options["jobs"] is not None and options["jobs"] < 1:
            raise CliError(f"--jobs must be an integer of at least 1, not {options['jobs']}.")
        if options["qrels"] and options["format"] not in FRAME_FORMATS:
            raise CliError("--qrels requires --format strata or --format prels.")
        reader = FileReader(out)
        spec = spec_from_options(reader, options)
        runs = runs_from_options(reader, options, spec.cutoff)
        qrels = reader.read(options["qrels"], read_qrels) if options["qrels"] else None
        reader.raise_if_rejected("no output written")
        check_unique_tags(runs)
        check_static_spec(spec)
        check_known_tags(spec, {run.tag for run in runs.values()})
        if options["seed"] is not None:
            spec = replace(spec, seed=options["seed"])
        selected = [run for run in runs.values() if run.tag in (spec.runs.tags or [run.tag])]
        sessions = sessions_by_spec(spec, selected)
        pool = build_pool_table(sessions)
        frame = build_frame(sessions) if options["format"] in FRAME_FORMATS else None
        if frame is not None and qrels is not None:
            frame = fill_frame_grades(frame, qrels)
        text = (
            FORMATS[options["format"]](pool)
            if frame is None
            else format_frame(frame, options["format"])
        )
        if options["output"]:
            write_atomically(Path(options["output"]), text)
        else:
            out.write(text)
        notes = iter_frame_notes(frame, options["format"]) if frame is not None else ()
        for line in (*iter_pool_notes(pool), *notes):
            out.note(line)


def format_frame(frame: SamplingFrame, fmt: str) -> str:
    if fmt == "strata" and not frame.has_strata:
        raise CliError("This sample has probabilities but no strata. Use --format prels.")
    return FRAME_FORMATS[fmt](frame)


def iter_frame_notes(frame: SamplingFrame, fmt: str) -> Iterator[str]:
    """How much of the frame is sampled and judged, and how to evaluate with the file."""
    sampled, unjudged = int(frame.sampled.sum()), frame.unjudged
    judged = sampled - unjudged
    yield f"{sampled:,} of {len(frame):,} documents sampled; {judged:,} judged."
    if 0 < unjudged < sampled:
        yield "Unjudged documents of the sample count as not sampled; judge them."
    yield f"Evaluate with: evaluate --qrels-format {fmt}"


def spec_from_options(reader: FileReader, options: Mapping[str, Any]) -> PoolSpec:
    if options["depth"] is not None:
        return depth_spec(options["depth"])
    specs = reader.read_all([options["spec"]], read_spec)
    reader.raise_if_rejected("no output written")
    return specs[options["spec"]]


def runs_from_options(
    reader: FileReader, options: Mapping[str, Any], cutoff: int
) -> dict[str, RunTable]:
    processes = options["jobs"] or choose_process_count(options["runs"])
    return reader.read_all(options["runs"], read_run_to_cutoff, processes=processes, cutoff=cutoff)


def read_run_to_cutoff(data: bytes, *, cutoff: int, **options: Any) -> RunTable:
    """A run down to the cut-off. All lines are checked but not stored, so that files reuse the
    same memory, which is much faster than allocating it anew.
    """
    return truncate_run(read_run(data, lenient=True, **options), cutoff)


def check_static_spec(spec: PoolSpec) -> None:
    """Raise ``CliError`` if ``spec`` needs judgments or attributes that run files lack."""
    if spec.is_adaptive:
        raise CliError(
            "This spec has an adaptive step; simulate it on a finished campaign: "
            "`poolbench simulate` or `manage.py simulate_pool`."
        )
    check_run_choice(spec)


def write_atomically(path: Path, text: str) -> None:
    """Write to a temporary file and rename it, so that readers never see a partial file."""
    part = path.with_name(f"{path.name}.{uuid4().hex}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CliError(f"{path}: {error.strerror or error}.") from error


def iter_pool_notes(pool: PoolTable) -> Iterator[str]:
    """The size of the pool, and how much of it is unique to single runs."""
    sizes = count_pool_sizes(pool)
    low, high = (int(edge) for edge in (sizes.documents.min(), sizes.documents.max()))
    yield (
        f"{format_count(len(pool.runs), 'run')}, {format_count(len(pool.topics), 'topic')}, "
        f"{format_count(len(pool), 'document')};"
        f" {low:,} to {high:,} per topic."
    )
    unique = zip(pool.runs, sizes.unique.sum(axis=0).tolist(), strict=True)
    yield from iter_unique_run_notes([(tag, count) for tag, count in unique if count])


def iter_unique_run_notes(unique: Sequence[tuple[str, int]]) -> Iterator[str]:
    """The runs with the most unique documents, of ``(tag, count)``, and how many are omitted."""
    if unique:
        total = sum(count for _, count in unique)
        runs = format_count(len(unique), "run")
        yield f"Documents unique to one run: {total:,}, from {runs}."
    most = sorted(unique, key=lambda run: -run[1])
    for tag, count in most[:LISTED_RUNS]:
        yield f"  {tag}  {count:,}"
    if rest := most[LISTED_RUNS:]:
        yield f"  and {format_count(len(rest), 'more run')} with at most {rest[0][1]:,}"
