"""A fault in the middle of work: who saw what, how soon all was well, and what is there."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

from benchmarks.faults import checks
from benchmarks.faults.breaks import NotTriedError
from benchmarks.faults.people import Judge, Monitor, Uploader
from benchmarks.faults.site import Site

BEFORE_SECONDS, UPLOADERS, PATIENCE = 4.0, 2, 150.0


@dataclass
class Outcome:
    """``counts`` must all be 0 and ``findings`` empty; ``seconds`` are from the fault's end."""

    name: str
    counts: dict[str, int] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    seconds: dict[str, float | None] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return not any(self.counts.values()) and not self.findings

    def describe(self) -> str:
        bad = [f"{number} {name}" for name, number in self.counts.items() if number]
        after = ", ".join(
            f"{name} {'never' if s is None else f'{s:.1f} s'}" for name, s in self.seconds.items()
        )
        lines = [f"{'right' if self.is_right else 'WRONG':6} {self.name}", f"after: {after}"]
        return "\n       ".join([*lines, *self.seen, *bad, *self.findings])


class Storm:
    """Two teams and four assessors at work, a monitor, and all that was acknowledged to them."""

    def __init__(self, site: Site, built: dict[str, Any]) -> None:
        self.site, self.built, self.round, self.clock = site, built, 0, ""
        self.uploaders: list[Uploader] = []
        self.judges: list[Judge] = []

    def run(self, name: str, fault: Callable[[Site], None], end: Callable[[Site], None]) -> Outcome:
        """``fault`` begins and waits; ``end`` mends, as an operator or a machine would."""
        self.round += 1
        over, people = Event(), self.built["people"]
        uploaders = [
            Uploader(self.site.port, self.built["token"], f"r{self.round}n{n}")
            for n in range(UPLOADERS)
        ]
        judges = [Judge(self.site, each, n) for n, each in enumerate(people)]
        monitor = Monitor(self.site, people[0]["session"])
        works = [lambda u=u: u.work(over) for u in uploaders]
        works += [lambda j=j: judge_until(j, over) for j in judges]
        threads = [Thread(target=work) for work in [*works, lambda: monitor.watch(over)]]
        log_from = self.site.log.stat().st_size
        for thread in threads:
            thread.start()
        time.sleep(BEFORE_SECONDS)
        began = time.monotonic()
        missed: list[str] = []
        try:
            fault(self.site)
        except NotTriedError as error:
            missed.append(f"not tried: {error}")
        ended = time.monotonic()
        end(self.site)
        self.site.restart_ended_workers()
        seconds = {
            "upload": wait_for(lambda: min(u.latest for u in uploaders) > ended, ended),
            "judgment": wait_for(lambda: min(j.latest for j in judges) > ended, ended),
        }
        over.set()
        for thread in threads:
            thread.join()
        self.uploaders += uploaders
        self.judges += judges
        with suppress(Exception):
            checks.count_unfinished_jobs()
        waited = checks.wait_for_jobs(self.site)
        seconds["all jobs done"] = None if waited is None else time.monotonic() - ended
        self.site.wait_until_healthy()
        seconds["/health/ ok"] = wait_for(lambda: self.site.ask_health()["status"] == "ok", ended)
        seen = describe_sights(uploaders, judges, monitor, began, ended)
        seen += [describe_log(self.site, log_from), *self.site.notes]
        self.site.notes.clear()
        counts = checks.count_faults(self.uploaders, self.judges)
        counts["judges' errors"] = sum(len(each.errors) for each in judges)
        del counts["errors"]  # of all rounds
        findings = missed + checks.list_failed_commands(self.site)
        return Outcome(name, counts, findings, seconds, seen)


def judge_until(judge: Judge, over: Event) -> None:
    while not over.is_set():
        judge.work(time.monotonic() + 1)


def wait_for(is_well: Callable[[], bool], since: float) -> float | None:
    """Seconds from ``since`` until it is; None if not within ``PATIENCE``."""
    while not is_well():
        if time.monotonic() - since > PATIENCE:
            return None
        time.sleep(0.2)
    return time.monotonic() - since


def describe_sights(
    uploaders: list[Uploader], judges: list[Judge], monitor: Monitor, began: float, ended: float
) -> list[str]:
    answers = sum((each.answers for each in uploaders), type(uploaders[0].answers)())
    told = ", ".join(f"{n} x {status or 'cut'}" for status, n in sorted(answers.items()))
    acts = sum(len(each.acknowledged) for each in judges)
    retried = sum(each.retried for each in judges)
    states = [f"{at - began:+.0f} s {state}" for at, state in monitor.states]
    pages = ", ".join(f"{n} x {s or 'cut'}" for s, n in sorted(monitor.pages.items()))
    said = "; ".join(sorted(monitor.said))
    errors = sorted({error[:150] for each in judges for error in each.errors})
    slowest = max(each.slowest for each in uploaders)
    return [
        f"lasted {ended - began:.0f} s; uploads {told}, slowest {slowest:.1f} s",
        f"judgments {acts} acknowledged, {retried} requests sent again",
        f"health: {'; '.join(states)}",
        *(f"judges got: {error}" for error in errors[:3]),
        f"page: {pages}{' “' + said + '”' if said else ''}",
    ]  # fmt: skip


def describe_log(site: Site, start: int) -> str:
    with site.log.open("rb") as stream:
        stream.seek(start)
        text = stream.read().decode(errors="replace")
    lines, traces = text.count("\n"), text.count("Traceback")
    return f"log: {lines:,} lines, {len(text):,} bytes, {traces} tracebacks"
