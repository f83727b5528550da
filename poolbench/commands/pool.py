"""Build a pool from run files, without a database."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.commands.files import FileReader
from poolbench.commands.options import add_jobs, require_least
from poolbench.commands.processes import choose_process_count
from poolbench.commands.run_lists import add_run_files
from poolbench.files.faults import format_count
from poolbench.files.replacement import replace_file
from poolbench.pooling.formats import (
    FORMATS,
    FRAME_FORMATS,
    SamplingFrame,
    build_frame,
    fill_frame_grades,
    format_pool,
)
from poolbench.pooling.pool_builder import build_pool_table
from poolbench.pooling.run_listing import truncate_run
from poolbench.pooling.spec import PoolSpec, RunChoice, depth_spec, sessions_by_spec
from poolbench.pooling.spec_file import read_spec
from poolbench.pooling.tables import PoolTable, count_unique_documents
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from poolbench.runs.tables import RunTable

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
        add("--qrels", metavar="FILE", help="grades for the formats strata, prels and frame")
        add(
            "--machine",
            metavar="FILE",
            help="a machine's grades, as qrels, for a sample by influence",
        )
        add("--output", metavar="FILE", help="output file (default: standard output)")
        add_jobs(parser, "processes for reading")

    def run(self, options: Mapping[str, Any], out: Output) -> None:
        require_least(options, depth=1, jobs=1)
        if options["qrels"] and options["format"] not in FRAME_FORMATS:
            raise CliError("--qrels requires --format strata, prels or frame.")
        reader = FileReader(out)
        spec = (
            reader.accept(reader.read(options["spec"], read_spec))
            if options["depth"] is None
            else depth_spec(options["depth"])
        )
        processes = options["jobs"] or choose_process_count(options["runs"])
        limits = {"processes": processes, "cutoff": spec.cutoff}
        runs = reader.read_all(options["runs"], read_run_to_cutoff, **limits)
        qrels, machine = (
            reader.read(options[each], read_qrels) if options[each] else None
            for each in ("qrels", "machine")
        )
        reader.raise_if_rejected()
        check_unique_tags(runs)
        if spec.is_adaptive:
            raise CliError(
                "This spec has an adaptive step; simulate it on a finished campaign: "
                "`poolbench simulate`."
            )
        check_run_choice(spec)
        if missing := spec.runs.list_unknown({run.tag for run in runs.values()}, ()):
            raise CliError(f"Not among the run files: {', '.join(missing)}.")
        if options["seed"] is not None:
            spec = replace(spec, seed=options["seed"])
        selected = [run for run in runs.values() if run.tag in (spec.runs.tags or [run.tag])]
        sessions = sessions_by_spec(spec, selected, machine)
        pool = build_pool_table(sessions)
        frame = build_frame(sessions) if options["format"] in FRAME_FORMATS else None
        if frame is not None and qrels is not None:
            frame = fill_frame_grades(frame, qrels)
        text = (
            format_pool(pool, options["format"])
            if frame is None
            else format_frame(frame, options["format"])
        )
        if options["output"]:
            write_output(Path(options["output"]), text)
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
    if fmt == "frame":
        yield "Estimate scores with: estimate SAMPLE RUN..."
    else:
        yield f"Evaluate with: evaluate --qrels-format {fmt}"


def read_run_to_cutoff(data: bytes, *, cutoff: int, **options: Any) -> RunTable:
    """A run down to the cut-off. All lines are checked but not stored, so that files reuse the
    same memory, which is much faster than allocating it anew.
    """
    return truncate_run(read_run(data, lenient=True, **options), cutoff)


def check_run_choice(spec: PoolSpec, name: str = "") -> None:
    """Raise ``CliError`` if ``spec`` selects runs by attributes that files do not have."""
    if replace(spec.runs, tags=()) != RunChoice():
        raise CliError(
            f"{name}{': ' if name else ''}Run files have no team, priority or type. Select runs by "
            "`tags`, or list the files."
        )


def check_unique_tags(runs: Mapping[str, RunTable]) -> None:
    """Raise ``CliError`` with the files of every tag that occurs in more than one."""
    files: dict[str, list[str]] = {}
    for path, run in runs.items():
        files.setdefault(run.tag, []).append(path)
    duplicates = [f"{tag} in {', '.join(paths)}" for tag, paths in files.items() if len(paths) > 1]
    if duplicates:
        raise CliError(f"Run tags must be unique in a pool: {'; '.join(duplicates)}.")


def write_output(path: Path, text: str) -> None:
    """Write the file whole or not at all."""
    try:
        with replace_file(path) as part:
            part.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise CliError(f"{path}: {error.strerror or error}.") from error


def iter_pool_notes(pool: PoolTable) -> Iterator[str]:
    """The size of the pool, and how much of it is unique to single runs."""
    sizes = [end - start for start, end in pairwise(pool.starts.tolist())]
    yield (
        f"{format_count(len(pool.runs), 'run')}, {format_count(len(pool.topics), 'topic')}, "
        f"{format_count(len(pool), 'document')};"
        f" {min(sizes):,} to {max(sizes):,} per topic."
    )
    unique = zip(pool.runs, count_unique_documents(pool).sum(axis=0).tolist(), strict=True)
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
