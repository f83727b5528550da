"""The share of preferences that a run keeps, and files of preferences."""

import pytest

from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.preferences.preference_pairs import PreferenceRecord, group_preferences
from poolbench.preferences.preference_score import score_run_by_preferences
from poolbench.preferences.preference_table import read_preferences
from poolbench.statistics.draws import ResamplingOptions

SAMPLING = ResamplingOptions(seed=3, resamples=1000)


def test_the_example_of_the_card_holds() -> None:
    records = [
        PreferenceRecord("1", "c", "b", 2), PreferenceRecord("1", "c", "a"),
        PreferenceRecord("2", "e", "d"), PreferenceRecord("2", "d", "e", tie=True),
    ]  # fmt: skip
    score = score_run_by_preferences("r", {"1": "bca", "2": "ed"}, group_preferences(records))
    assert [(each.topic, each.satisfied, each.total) for each in score.topics] == [
        ("1", 1, 3), ("2", 1, 1),
    ]  # fmt: skip
    assert (score.macro.value, score.micro.value) == (pytest.approx(2 / 3), 1 / 2)
    assert score.macro.low is None
    assert score.macro.why == "fewer than 5 topics"


def test_documents_out_of_the_run_are_below_all_others() -> None:
    records = group_preferences([PreferenceRecord("1", *pair) for pair in ("ab", "ba", "ac")])
    score = score_run_by_preferences("r", {"1": "b"}, records)
    assert (score.satisfied, score.total, score.missing) == (1, 3, 2)
    nothing = score_run_by_preferences("r", {}, records)
    assert (nothing.satisfied, nothing.missing) == (0, 3)


def test_intervals_over_topics_contain_the_value_and_repeat() -> None:
    records = group_preferences(
        [PreferenceRecord(str(at), "a", "b", 1 + at % 3) for at in range(12)]
        + [PreferenceRecord(str(at), "b", "a") for at in range(0, 12, 2)]
    )
    score = score_run_by_preferences("r", {str(at): "ab" for at in range(12)}, records, SAMPLING)
    again = score_run_by_preferences("r", {str(at): "ab" for at in range(12)}, records, SAMPLING)
    for estimate in (score.macro, score.micro):
        assert estimate.low is not None
        assert estimate.low < (estimate.value or 0) < (estimate.high or 0)
        assert not estimate.is_hint
    assert score == again
    assert score.micro.value == 24 / 30


def test_without_preferences_nothing_is_defined() -> None:
    tie = group_preferences([PreferenceRecord("1", "a", "b", tie=True)])
    score = score_run_by_preferences("r", {"1": "ab"}, tie)
    assert (score.macro.value, score.macro.why) == (None, "there is no preference")


def test_tables_are_read_with_commas_tabs_and_our_own_head() -> None:
    plain = b"Topic,better,worse\n1,a,b\n\n1,b,c\n"
    assert read_preferences(plain).records == (
        PreferenceRecord("1", "a", "b"), PreferenceRecord("1", "b", "c"),
    )  # fmt: skip
    full = (
        b'# poolbench-csv: 2\n# conditions: {}\ntopic\tbetter\tworse\ttimes\ttie\tjudge\n'
        b"1\ta\tb\t3\t1\tann\n1\tb\ta\t\t0\tbob\n"
    )  # fmt: skip
    assert read_preferences(full).records == (
        PreferenceRecord("1", "a", "b", 3, tie=True, judge="ann"),
        PreferenceRecord("1", "b", "a", judge="bob"),
    )


def test_click_logs_are_recognized() -> None:
    data = b'{"session": "s", "topic": "1", "shown": ["a", "b"], "clicks": ["b"]}'
    read = read_preferences(data)
    assert read.records == (PreferenceRecord("1", "b", "a"),)
    assert read.log is not None
    assert read.log.sessions == 1


def codes(data: bytes) -> list[tuple[str, int | None]]:
    with pytest.raises(InvalidFile) as raised:
        read_preferences(data, report=FaultReport())
    return [(fault.code, fault.line) for fault in raised.value.report.faults]


def test_every_fault_of_a_table_is_reported_at_its_line() -> None:
    assert codes(b"") == [("EF03", None)]
    assert codes(b"topic,a,b\n1,x,y\n") == [("EF04", 1)]
    assert codes(b"\xff\n") == [("EF01", 1)]
    assert codes(b"topic,better,worse\n1,a\0,b\n") == [("EF01", 2)]
    rows = b"topic,better,worse,times,tie\n1,a,b\n1,a,a,1,0\n1,,b,1,0\n1,a,b,0,2\n1,a,b,x,1\n"
    assert codes(rows) == [
        ("EF02", 2), ("EF06", 3), ("EF05", 4), ("EF07", 5), ("EF07", 5), ("EF07", 6),
    ]  # fmt: skip
