"""Check runs at home as the site does on submission: the same checks, codes and texts."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.commands.files import format_fault_lines
from poolbench.commands.options import require_least
from poolbench.commands.run_lists import add_run_files
from poolbench.files.faults import FaultReport, InvalidFile, format_count
from poolbench.files.streams import read_bytes
from poolbench.runs.docno_files import DocnoFile
from poolbench.runs.run_checks import CheckedRun, RunRules, check_run_file
from poolbench.runs.run_remarks import CUT_OFFS
from poolbench.texts.topics import read_topics

REJECTED, NOT_CHECKED = 1, 2
"""The exit status where a run has errors, and where files or options cannot be used."""
FORMATS = ("text", "json")


class CheckRunCommand(FileCommand):
    help = (
        "Check runs as on submission. Exit status: 0 all accepted, 1 a run has errors, 2 a file or"
        " option cannot be used."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add_run_files(parser, "runs: topic Q0 docno rank score tag (plain or gzip)")
        add(
            "--topics",
            metavar="FILE",
            required=True,
            help="topics of the campaign in any format that it imports, or one ID per line",
        )
        add(
            "--docnos",
            metavar="FILE",
            help="docnos of the collection, one per line, plain or gzip (default: not checked)",
        )
        add(
            "--max-docs",
            metavar="N",
            type=int,
            default=1000,
            help="most documents per topic (default: 1000)",
        )
        add("--all-topics", action="store_true", help="every topic is required")
        add("--tag", metavar="TAG", help="the declared run tag (default: that of the file)")
        add(
            "--cut-off",
            metavar="K",
            type=int,
            action="append",
            help="also say where tied scores lie across rank K (default: "
            f"{' and '.join(map(str, CUT_OFFS))})",
        )
        add("--format", choices=FORMATS, default="text")

    def run(self, options: Mapping[str, Any], out: Output) -> int:
        try:
            require_least(options, max_docs=1)
            rules = build_rules(options)
            files = {path: read_run_file(path) for path in dict.fromkeys(options["runs"])}
            results = list(check_in_turn(files, rules))
        except (OSError, InvalidFile, CliError) as error:
            raise CliError(describe_failure(error), status=NOT_CHECKED) from error
        write = {"text": format_text, "json": format_json}[options["format"]]
        out.write(write(results))
        return 0 if all(result.accepted for _path, result in results) else REJECTED


def build_rules(options: Mapping[str, Any]) -> RunRules:
    """The requirements of the campaign, from the options."""
    docnos = options["docnos"] and DocnoFile(Path(options["docnos"]))
    if docnos:
        docnos.check_form()
    return RunRules(
        topics=read_topic_ids(options["topics"]),
        docnos=docnos or None,
        declared_tag=options["tag"],
        max_per_topic=options["max_docs"],
        require_all_topics=options["all_topics"],
        cut_offs=(*CUT_OFFS, *(options["cut_off"] or ())),
    )


def read_topic_ids(path: str) -> frozenset[str]:
    """The IDs of the topics in ``path``: in a format of topics, or one per line."""
    data = read_bytes(path)
    lines = [line.split() for line in data.decode("utf-8-sig", "replace").splitlines()]
    words = [words for words in lines if words]
    if words and all(len(each) == 1 for each in words) and not words[0][0].startswith(("<", "{")):
        return frozenset(each[0] for each in words)
    return frozenset(topic.number for topic in read_topics(data, file=path))


def read_run_file(path: str) -> bytes:
    """The bytes as a site would get them: gzip is for the check to unpack."""
    return Path(path).read_bytes()


def check_in_turn(files: Mapping[str, bytes], rules: RunRules) -> Iterator[tuple[str, CheckedRun]]:
    """Check each file as the next submission of one team: accepted ones before it use their tags,
    and W09 and W14 compare with them.
    """
    accepted: list[CheckedRun] = []
    for path, data in files.items():
        own = replace(
            rules,
            used_tags=frozenset(run.tag for run in accepted),
            earlier_hashes={run.digest: run.tag for run in accepted},
            earlier_runs=[run.table for run in accepted if run.table],
        )
        result = check_run_file(data, own, file=path)
        accepted += [result] if result.accepted else []
        yield path, result


def describe_failure(error: Exception) -> str:
    if isinstance(error, InvalidFile):
        return "\n".join(format_fault_lines(error.report))
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror or error}."
    return str(error)


def format_text(results: Sequence[tuple[str, CheckedRun]]) -> str:
    """For each run a line with the outcome, and one for each fault."""
    lines: list[str] = []
    for path, result in results:
        lines += [f"{path}: {describe_outcome(result)}", *format_fault_lines(result.report)]
    return "".join(f"{line}\n" for line in lines)


def describe_outcome(result: CheckedRun) -> str:
    count = partial(count_kind, result.report)
    outcome = "accepted" if result.accepted else "rejected"
    counts = [
        format_count(result.documents, "document"),
        format_count(len(result.topics), "topic"),
        count("E", "error"),
        count("W", "warning"),
    ]
    return f"{outcome}; {', '.join(counts)}."


def count_kind(report: FaultReport, letter: str, noun: str) -> str:
    number = sum(count for code, count in report.counts.items() if code.startswith(letter))
    return format_count(number, noun)


def format_json(results: Sequence[tuple[str, CheckedRun]]) -> str:
    """A list with an object for each run; ``report`` is that of the REST API."""
    listed = [
        {
            "file": path,
            "accepted": result.accepted,
            "tag": result.tag,
            "lines": result.lines,
            "report": result.as_report(),
        }
        for path, result in results
    ]
    return json.dumps(listed, ensure_ascii=False, indent=2) + "\n"
