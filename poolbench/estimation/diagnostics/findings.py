"""What a report on a machine says, in sentences that name their scope."""

from collections.abc import Iterator

from poolbench.estimation.diagnostics.probes import QUERY
from poolbench.estimation.diagnostics.witness import MachineReport
from poolbench.estimation.remarks import Remark
from poolbench.estimation.run_order import LEAST_GAIN


def list_findings(report: MachineReport) -> tuple[Remark, ...]:
    """Alarms first. Without any, nothing was found, which is not that there is nothing."""
    if report.why is not None:
        return (Remark("too-little", f"Nothing is said of {report.machine}: {report.why}."),)
    alarms = (*_report_teams(report), *_report_topics(report), *_report_texts(report))
    return (*alarms, *_report_drift(report), *_report_gain(report), *_report_order(report))


def _report_teams(report: MachineReport) -> Iterator[Remark]:
    raised = [team for team in report.teams if team.is_alarm]
    if raised:
        most = raised[0].excess.value or 0.0
        text = (
            f"It favours {_count(len(raised), 'team')}: up to {most:.2f} grades a document more "
            "than documents of the same people’s grade and ranks get. Do not rank by it alone."
        )
        yield Remark("circular", text, None, tuple(team.team for team in raised))


def _report_topics(report: MachineReport) -> Iterator[Remark]:
    topics = report.confusion.topics if report.confusion else ()
    raised = [topic for topic in topics if topic.is_flagged]
    if raised:
        text = (
            f"It gives 0 to documents of people’s highest grade far more often in "
            f"{_count(len(raised), 'topic')} than elsewhere: it may have read the topic otherwise."
        )
        yield Remark("topics", text, None, tuple(topic.topic for topic in raised))


def _report_texts(report: MachineReport) -> Iterator[Remark]:
    for probe in report.probes:
        if not probe.is_alarm:
            continue
        slope = probe.slope.value or 0.0
        what = "a text with all query terms than to one with none" if probe.name == QUERY else (
            "a text twice as long"
        )  # fmt: skip
        more = "more" if slope > 0 else "less"
        text = (
            f"It gives {abs(slope):.2f} grades {more} to {what}, people’s grades being equal: "
            "texts can be written for it."
        )
        yield Remark(probe.name, text)


def _report_drift(report: MachineReport) -> Iterator[Remark]:
    for drift in report.drift:
        if drift.is_alarm:
            text = (
                f"Grades of {drift.assessor} move by {drift.slope.value:+.2f} a hundred judgments "
                "against what was expected of the pairs."
            )
            yield Remark("drift", text, None, (drift.assessor,))


def _report_gain(report: MachineReport) -> Iterator[Remark]:
    if report.gain is None:
        return
    if report.gain < LEAST_GAIN:
        yield Remark("no-gain", "It adds nothing to estimates from this sample.")
    else:
        text = f"It makes the errors of estimates from this sample {report.gain:.0%} smaller."
        yield Remark("gain", text)


def _report_order(report: MachineReport) -> Iterator[Remark]:
    for ranking in report.rankings:
        if ranking.tau.value is None:
            continue
        ends = "" if ranking.tau.low is None or ranking.tau.high is None else (
            f" ({ranking.tau.low:.2f} to {ranking.tau.high:.2f} over topics)"
        )  # fmt: skip
        text = (
            f"Ranking by it alone would agree with people by tau {ranking.tau.value:.2f}{ends}, "
            f"with scores {abs(ranking.lean):.3f} too {'high' if ranking.lean > 0 else 'low'}."
        )
        yield Remark("order", text, ranking.measure)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
