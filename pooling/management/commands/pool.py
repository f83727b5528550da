"""Build a pool from run files, without a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.core.faults import format_count
from campaigns.core.qrels import read_qrels
from campaigns.core.runs import read_run
from campaigns.core.tables import RunTable
from campaigns.management.files import FileReader
from campaigns.management.processes import choose_process_count
from pooling.core.formats import FORMATS, FRAME_FORMATS
from pooling.core.frame import SamplingFrame, build_frame, fill_frame_grades
from pooling.core.pool_builder import build_pool_table
from pooling.core.run_listing import truncate_run
from pooling.core.spec import PoolSpec, depth_spec, sessions_by_spec
from pooling.core.spec_file import read_spec
from pooling.core.tables import PoolTable, count_pool_sizes
from pooling.management.option_checks import check_known_tags, check_run_choice, check_unique_tags

SHOWN = 10
"""Runs that are told one by one."""


class Command(BaseCommand):
    help = "Pool the first K documents of every run, or what a spec says."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("runs", metavar="RUN", nargs="+", help="runs: topic Q0 docno rank score tag")
        how = parser.add_mutually_exclusive_group(required=True)
        how.add_argument("--depth", metavar="K", type=int, help="ranks taken from each run")
        how.add_argument("--spec", metavar="FILE", help="a spec in YAML or JSON, docs/pooling.md")
        add("--seed", metavar="N", type=int, help="instead of the spec's")
        add("--format", choices=(*FORMATS, *FRAME_FORMATS), default="trec")
        add("--qrels", metavar="FILE", help="grades for the formats strata and prels")
        add("--output", metavar="FILE", help="write here instead of standard output")
        add(
            "--jobs",
            metavar="N",
            type=int,
            help="processes to read with (default: one a core, where it pays)",
        )

    def handle(self, **given: Any) -> None:
        if given["depth"] is not None and given["depth"] < 1:
            raise CommandError("The depth is 1 or more.")
        if given["jobs"] is not None and given["jobs"] < 1:
            raise CommandError("--jobs is a number of processes, from 1 up.")
        if given["qrels"] and given["format"] not in FRAME_FORMATS:
            raise CommandError("Grades of --qrels go with --format strata or prels.")
        reader = FileReader(self)
        spec = spec_from_options(reader, given)
        runs = runs_from_options(reader, given, spec.cutoff)
        qrels = reader.read(given["qrels"], read_qrels) if given["qrels"] else None
        reader.stop_if_refused("no pool was built")
        check_unique_tags(runs)
        check_static_spec(spec)
        check_known_tags(spec, {run.tag for run in runs.values()})
        if given["seed"] is not None:
            spec = replace(spec, seed=given["seed"])
        chosen = [run for run in runs.values() if run.tag in (spec.runs.tags or [run.tag])]
        found = sessions_by_spec(spec, chosen)
        pool = build_pool_table(found)
        frame = build_frame(found) if given["format"] in FRAME_FORMATS else None
        if frame is not None and qrels is not None:
            frame = fill_frame_grades(frame, qrels)
        text = (
            FORMATS[given["format"]](pool)
            if frame is None
            else format_frame(frame, given["format"])
        )
        if given["output"]:
            write_atomically(Path(given["output"]), text)
        else:
            self.stdout.write(text, ending="")
        more = iter_frame_notes(frame, given["format"]) if frame is not None else ()
        for line in (*iter_pool_notes(pool), *more):
            self.stderr.write(line)


def format_frame(frame: SamplingFrame, fmt: str) -> str:
    if fmt == "strata" and not frame.has_strata:
        raise CommandError("This sample has no strata but probabilities: take --format prels.")
    return FRAME_FORMATS[fmt](frame)


def iter_frame_notes(frame: SamplingFrame, fmt: str) -> Iterator[str]:
    """How much of the frame was drawn and judged, and how the file is read again."""
    drawn, missing = int(frame.drawn.sum()), frame.unjudged
    yield f"Drawn {drawn:,} of {len(frame):,} documents; {drawn - missing:,} have a grade."
    if 0 < missing < drawn:
        yield "What was drawn and has none counts as not in the sample: judge it."
    yield f"Scored by: evaluate --qrels-format {fmt}"


def spec_from_options(reader: FileReader, given: dict[str, Any]) -> PoolSpec:
    if given["depth"] is not None:
        return depth_spec(given["depth"])
    found = reader.read_all([given["spec"]], read_spec)
    reader.stop_if_refused("no pool was built")
    return found[given["spec"]]


def runs_from_options(
    reader: FileReader, given: dict[str, Any], cutoff: int
) -> dict[str, RunTable]:
    processes = given["jobs"] or choose_process_count(given["runs"])
    return reader.read_all(given["runs"], read_run_to_cutoff, processes=processes, cutoff=cutoff)


def read_run_to_cutoff(data: bytes, *, cutoff: int, **options: Any) -> RunTable:
    """A run down to the cut-off. All of it is checked, but not kept: the memory of the first
    file serves for the next, which is quicker by far than new memory for each.
    """
    return truncate_run(read_run(data, lenient=True, **options), cutoff)


def check_static_spec(spec: PoolSpec) -> None:
    """Raise ``CommandError`` for what run files alone cannot tell."""
    if spec.is_adaptive:
        raise CommandError(
            "A step of this spec learns from judgments: try it by `manage.py simulate_pool`."
        )
    check_run_choice(spec)


def write_atomically(path: Path, text: str) -> None:
    """Write beside ``path`` and rename, so that nobody ever sees half a file."""
    part = path.with_name(f"{path.name}.{uuid4().hex}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CommandError(f"{path}: {error.strerror or error}.") from error


def iter_pool_notes(pool: PoolTable) -> Iterator[str]:
    """How large the pool is, and how much of it hangs on single runs."""
    found = count_pool_sizes(pool)
    low, high = (int(edge) for edge in (found.documents.min(), found.documents.max()))
    yield (
        f"{len(pool.runs)} runs, {len(pool.topics)} topics, {len(pool):,} documents;"
        f" {low} to {high} a topic."
    )
    alone = zip(pool.runs, found.alone.sum(axis=0).tolist(), strict=True)
    yield from iter_unique_run_notes([(tag, count) for tag, count in alone if count])


def iter_unique_run_notes(alone: Sequence[tuple[str, int]]) -> Iterator[str]:
    """The runs that alone bring the most documents, of ``(tag, count)``, and how many are left."""
    if alone:
        total = sum(count for _, count in alone)
        runs = format_count(len(alone), "run")
        yield f"Documents that one run alone brings: {total:,}, by {runs}."
    most = sorted(alone, key=lambda run: -run[1])
    for tag, count in most[:SHOWN]:
        yield f"  {tag}  {count:,}"
    if rest := most[SHOWN:]:
        yield f"  and {format_count(len(rest), 'more run')} with {rest[0][1]:,} at most"
