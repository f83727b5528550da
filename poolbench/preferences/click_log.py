"""Click logs: JSON Lines, a list shown and the clicks on it per line; their preferences."""

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from poolbench.cards import Card
from poolbench.files.faults import FaultReport, format_count, list_names
from poolbench.files.json_texts import parse_json
from poolbench.preferences.preference_pairs import ClickedPair

Preference = tuple[str, str]
"""``(better, worse)``."""

PREFERENCES = Card(
    name="pairwise_preference",
    title="Proportion of preferences satisfied by a ranking",
    formula="pairs (better, worse) with better above worse / pairs",
    reading="How often a ranking places a clicked document above one that was skipped.",
    source="Joachims, KDD 2002; lecture slides CS276.",
    edge_cases=(
        "Documents below the last click imply no preference, since they may not have been viewed.",
        "A document not in the ranking counts as below all documents in it.",
        "A pair with both documents missing from the ranking is not satisfied.",
        "Do not evaluate a ranking with the clicks on its own list.",
    ),
    undefined="there is no preference.",
    example="Shown a b c d, clicked a and c: c is preferred to b. A ranking c d b satisfies it: 1.",
)


def preferences_from_clicks(displayed: Sequence[str], clicked: Iterable[str]) -> list[Preference]:
    """``(clicked, skipped)`` for each document above a clicked one that was not clicked.

    In display order. Raises ``ValueError`` if a document is shown twice, or clicked but not shown.
    """
    picks = set(clicked)
    if len(set(displayed)) < len(displayed):
        raise ValueError("duplicate document in the list")
    if unknown := sorted(picks - set(displayed)):
        raise ValueError(f"clicked but not shown: {', '.join(unknown)}")
    return [
        (better, worse)
        for rank, better in enumerate(displayed)
        if better in picks
        for worse in displayed[:rank]
        if worse not in picks
    ]


def share_of_preferences_met(
    ranking: Sequence[str], preferences: Iterable[Preference]
) -> float | None:
    """The proportion of ``preferences`` that ``ranking`` satisfies; None without any."""
    ranks = {docno: rank for rank, docno in enumerate(ranking)}
    nowhere = len(ranks)
    right = [
        ranks.get(better, nowhere) < ranks.get(worse, nowhere) for better, worse in preferences
    ]
    return sum(right) / len(right) if right else None


MAX_LINE = 1 << 20
"""Bytes of a line."""
MAX_SHOWN = 1000
"""Documents of a list: the pairs of a session are up to a quarter of its square."""
MAX_SESSIONS = 2_000_000
MAX_PAIRS = 2_000_000
"""Different pairs of a file, which are all in memory."""
MAX_PREFERENCES, MAX_PER_SESSION = 200_000, 50
"""Preferences of a file, and so many more for each session, since each takes time: a list of ten
has 25 at most, one of 1,000 has 250,000."""
MAX_NAME = 500
LINE_FORM = '{"session": "s1", "topic": "301", "shown": ["d1", "d2"], "clicks": ["d2"]}'
FORM_FIX = f"Use lines of the form {LINE_FORM}."


@dataclass(frozen=True, slots=True)
class ClickSession:
    """A list shown for a topic, and the distinct documents that were clicked."""

    session: str
    topic: str
    documents: tuple[str, ...]
    clicks: tuple[str, ...]
    run: str = ""

    @property
    def preferences(self) -> list[tuple[str, str]]:
        return preferences_from_clicks(self.documents, self.clicks)


@dataclass
class ClickLogTable:
    """What a click log implies: in how many sessions each pair occurs, and who made the lists.

    ``lists`` counts the sessions by topic and list, ``runs`` those whose line names a run.
    """

    sessions: int = 0
    clicks: int = 0
    preferences: int = 0
    pairs: Counter[ClickedPair] = field(default_factory=Counter)
    lists: Counter[tuple[str, tuple[str, ...]]] = field(default_factory=Counter)
    runs: Counter[str] = field(default_factory=Counter)
    first_lines: dict[str, int] = field(default_factory=dict)
    """By topic, the line where it occurs first."""

    def add(self, session: ClickSession, line: int) -> None:
        self.sessions += 1
        self.clicks += len(session.clicks)
        self.first_lines.setdefault(session.topic, line)
        self.lists[session.topic, session.documents] += 1
        if session.run:
            self.runs[session.run] += 1
        preferences = session.preferences
        self.preferences += len(preferences)
        for better, worse in preferences:
            self.pairs[session.topic, better, worse] += 1


def read_click_log(
    data: bytes, *, file: str = "", report: FaultReport | None = None
) -> ClickLogTable:
    """The preferences of the log in ``data``, line by line; the lines themselves are not kept.

    Warnings go to ``report`` if given. Raises ``InvalidFile`` with all faults (EC01 to EC07).
    """
    report = FaultReport(file) if report is None else report
    table = ClickLogTable()
    seen: dict[tuple[str, str], tuple[int, int]] = {}
    for line, session in iter_sessions(data, report):
        key, content = (session.session, session.topic), hash((session.documents, session.clicks))
        first, before = seen.setdefault(key, (line, content))
        if first != line:
            _report_repeated(report, session, line, first, same=before == content)
            continue
        if not session.documents:
            message = "Empty list: the session is ignored."
            report.add("WC01", message, "Leave out such sessions.", line=line)
            continue
        table.add(session, line)
        allowed = MAX_PREFERENCES + MAX_PER_SESSION * table.sessions
        if table.preferences > allowed:
            message = f"More than {allowed:,} preferences in {table.sessions:,} sessions."
            fix = "Cut the lists below the last click; split the file."
            report.add("EC07", message, fix, line=line)
            break
        if table.sessions > MAX_SESSIONS or len(table.pairs) > MAX_PAIRS:
            message = f"More than {MAX_SESSIONS:,} sessions or {MAX_PAIRS:,} different pairs."
            report.add("EC07", message, "Split the file.", line=line)
            break
    if not table.sessions and not report.has_errors:
        report.add("EC03", "No sessions in the file.", FORM_FIX)
    report.raise_errors()
    if not table.pairs:
        message = "The clicks imply no preference: no document above a clicked one was skipped."
        report.add("WC03", message, "Check that the lists are in the order in which they stood.")
    return table


def read_sessions(
    data: bytes, *, file: str = "", report: FaultReport | None = None
) -> list[ClickSession]:
    """All sessions of a log, for logs that fit in memory. Raises ``InvalidFile``."""
    report = FaultReport(file) if report is None else report
    sessions = [session for _, session in iter_sessions(data, report)]
    if not sessions and not report.has_errors:
        report.add("EC03", "No sessions in the file.", FORM_FIX)
    report.raise_errors()
    return sessions


def iter_sessions(data: bytes, report: FaultReport) -> Iterator[tuple[int, ClickSession]]:
    """Line number and session of each line without errors; all others go to ``report``."""
    stream = io.BytesIO(data.removeprefix(b"\xef\xbb\xbf"))
    number = 0
    while raw := stream.readline(MAX_LINE + 1):
        number += 1
        if len(raw) > MAX_LINE:
            message = f"The line has more than {MAX_LINE:,} bytes."
            report.add("EC07", message, "Split the session.", line=number, excerpt=raw[:100])
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(MAX_LINE)
            continue
        if raw.strip() and (session := _parse_line(raw, number, report)):
            yield number, session


def _parse_line(raw: bytes, line: int, report: FaultReport) -> ClickSession | None:
    try:
        text = raw.decode("utf-8").rstrip("\r\n")
        value = parse_json(text)
    except ValueError as error:
        column = getattr(error, "colno", None)
        message = "The line is not UTF-8." if isinstance(error, UnicodeDecodeError) else (
            f"The line is not JSON ({error})."
        )  # fmt: skip
        report.add("EC01", message, FORM_FIX, line=line, column=column, excerpt=raw[:100])
        return None
    if not isinstance(value, dict):
        report.add("EC01", "The line is not a JSON object.", FORM_FIX, line=line, excerpt=text)
        return None
    return _LineFields(value, text, line, report).read_session()


class _LineFields:
    """The fields of a line; each fault is reported at the column of its field."""

    def __init__(
        self, record: Mapping[str, Any], text: str, line: int, report: FaultReport
    ) -> None:
        self.record, self.text, self.line, self.report = record, text, line, report
        self.is_valid = True

    def read_session(self) -> ClickSession | None:
        session = self.read_name("session")
        topic = self.read_name("topic" if "topic" in self.record else "query")
        documents = self.read_documents("shown")
        clicks = self.read_documents("clicks")
        run = self.read_name("run") if self.record.get("run") not in (None, "") else ""
        if len(documents) > MAX_SHOWN:
            message = f"The list has {len(documents):,} documents; the limit is {MAX_SHOWN:,}."
            self.refuse("EC07", message, "Cut the list below the last click.", "shown")
        elif twice := [docno for docno, times in Counter(documents).items() if times > 1]:
            self.refuse("EC06", f"Duplicate document in the list: {list_names(twice, 3)}.",
                        "List each document once, where it stood first.", "shown")  # fmt: skip
        if self.is_valid and (unknown := sorted(set(clicks) - set(documents))):
            self.refuse("EC05", f"Clicked but not shown: {list_names(unknown, 3)}.",
                        "Complete the list, or remove the click.", "clicks")  # fmt: skip
        distinct = tuple(dict.fromkeys(clicks))
        return (
            ClickSession(session, topic, tuple(documents), distinct, run) if self.is_valid else None
        )

    def read_name(self, name: str) -> str:
        value = self.record.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not _is_name(value):
            fault = "missing" if value is None else "not a text without spaces"
            self.refuse("EC02", f'Field "{name}" is {fault}, or too long.', FORM_FIX, name)
            return ""
        return value

    def read_documents(self, name: str) -> list[str]:
        """Docnos, or objects with ``docno``, of which the time and other keys are ignored."""
        values = self.record.get(name)
        if not isinstance(values, list):
            fault = "missing" if values is None else "not a list"
            self.refuse("EC02", f'Field "{name}" is {fault}.', FORM_FIX, name)
            return []
        docnos = [value.get("docno") if isinstance(value, dict) else value for value in values]
        listed = [docno for docno in docnos if isinstance(docno, str) and _is_name(docno)]
        if len(listed) < len(docnos):
            wrong = [docno for docno in docnos if not isinstance(docno, str) or not _is_name(docno)]
            count = format_count(len(wrong), "element")
            message = f'Field "{name}": {count} that are no docnos ({str(wrong[0])[:40]}).'
            self.refuse("EC02", message, "Use docnos: texts without spaces.", name)
            return []
        return listed

    def refuse(self, code: str, message: str, fix: str, name: str) -> None:
        self.is_valid = False
        column = self.text.find(f'"{name}"') + 1
        self.report.add(
            code, message, fix, line=self.line, column=column or None, excerpt=self.text
        )


def _is_name(text: str) -> bool:
    return 0 < len(text) <= MAX_NAME and not any(sign.isspace() or sign == "\0" for sign in text)


def _report_repeated(
    report: FaultReport, session: ClickSession, line: int, first: int, *, same: bool
) -> None:
    place = f"session {session.session} with topic {session.topic}"
    if same:
        message = f"The same {place} as in line {first}: the line is ignored."
        report.add("WC02", message, "Keep one of the lines.", line=line)
    else:
        message = f"Another list or clicks of {place}; first in line {first}."
        fix = "Give each list a session ID of its own, or join the clicks."
        report.add("EC04", message, fix, line=line)
