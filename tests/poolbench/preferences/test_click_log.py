"""Click logs: what they imply, and every fault by place."""

import json
from typing import Any

import pytest

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.preferences import click_log
from poolbench.preferences.click_log import read_click_log
from poolbench.preferences.preference_score import count_own_lists, warn_own_lists


def write(*sessions: dict[str, Any]) -> bytes:
    return "".join(json.dumps(session) + "\n" for session in sessions).encode()


def session(name: str, topic: str, shown: str, clicks: str, **more: Any) -> dict[str, Any]:
    return {"session": name, "topic": topic, "shown": [*shown], "clicks": [*clicks], **more}


def faults_of(data: bytes) -> list[tuple[str, int | None, int | None]]:
    report = FaultReport("log")
    with pytest.raises(InvalidFile) as raised:
        read_click_log(data, report=report)
    return [(fault.code, fault.line, fault.column) for fault in raised.value.report.faults]


def test_sessions_become_counted_pairs() -> None:
    log = read_click_log(
        write(
            session("s1", "1", "abcd", "ac"),
            session("s2", "1", "abcd", "c", run="bm25"),
            session("s1", "2", "xy", "y"),
            session("s3", "2", "xy", ""),
        )
    )
    assert log.pairs == {("1", "c", "b"): 2, ("1", "c", "a"): 1, ("2", "y", "x"): 1}
    assert (log.sessions, log.clicks, log.preferences) == (4, 4, 4)
    assert log.runs == {"bm25": 1}


def test_clicks_may_have_a_time_and_topics_be_queries_or_numbers() -> None:
    record = {
        "session": 7, "query": 301, "shown": ["a", "b"],
        "clicks": [{"docno": "b", "time": "2026-01-01T00:00:00Z"}, {"docno": "b", "time": 3}],
    }  # fmt: skip
    log = read_click_log(b"\xef\xbb\xbf\r\n" + write(record))
    assert log.pairs == {("301", "b", "a"): 1}
    assert log.clicks == 1


def test_every_fault_is_reported_at_its_place() -> None:
    data = b"\n".join(
        [
            b"{",
            b'"text"',
            b'{"session": "s", "shown": "a", "clicks": []}',
            b'{"session": "s2", "topic": "1", "shown": ["a", "a"], "clicks": []}',
            b'{"session": "s3", "topic": "1", "shown": ["a"], "clicks": ["z"]}',
            b'{"session": "s4", "topic": "1", "shown": ["a"], "clicks": [5]}',
            b'{"session": "s5", "topic": "1", "shown": ["a"], "clicks": []}',
            b'{"session": "s5", "topic": "1", "shown": ["b"], "clicks": []}',
            b"\xff\xfe",
        ]
    )
    assert faults_of(data) == [
        ("EC01", 1, 2), ("EC01", 2, None), ("EC02", 3, None), ("EC02", 3, 18), ("EC06", 4, 33),
        ("EC05", 5, 49), ("EC02", 6, 49), ("EC04", 8, None), ("EC01", 9, None),
    ]  # fmt: skip


def test_an_empty_file_has_no_sessions() -> None:
    assert faults_of(b"\n \n") == [("EC03", None, None)]


def test_lists_and_lines_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    many = {
        "session": "s", "topic": "1", "clicks": [], "shown": [str(at) for at in range(1001)],
    }  # fmt: skip
    assert [code for code, _, _ in faults_of(write(many))] == ["EC07"]
    monkeypatch.setattr(click_log, "MAX_LINE", 100)
    long = b'{"x": "' + b"y" * 500 + b'"}\n'
    assert faults_of(long + b"[]\n") == [("EC07", 1, None), ("EC01", 2, None)]
    monkeypatch.setattr(click_log, "MAX_SESSIONS", 1)
    two = write(session("s1", "1", "ab", "b"), session("s2", "1", "ab", "b"))
    assert faults_of(two) == [("EC07", 2, None)]


def test_repeated_lines_empty_lists_and_idle_logs_are_warnings() -> None:
    same = session("s1", "1", "ab", "a")
    report = FaultReport()
    log = read_click_log(write(same, same, session("s2", "1", "", "")), report=report)
    assert log.sessions == 1
    assert [(fault.code, fault.line) for fault in report.faults] == [
        ("WC02", 2), ("WC01", 3), ("WC03", None),
    ]  # fmt: skip


def test_runs_that_produced_clicked_lists_are_counted() -> None:
    log = read_click_log(
        write(
            session("s1", "1", "abc", "c"),
            session("s2", "1", "abc", "b"),
            session("s3", "1", "a", "a"),
            session("s4", "2", "ba", "a", run="own"),
        )
    )
    assert count_own_lists(log, "other", {"1": "abcdef"}) == 2
    assert count_own_lists(log, "other", {"1": "bacdef", "2": "ba"}) == 1
    assert count_own_lists(log, "own", {"1": "abcdef"}) == 1
    [line] = warn_own_lists({"other": 2, "third": 0})
    assert line.startswith("other produced 2 clicked lists")
