"""Pairs and all pairs of runs, discriminative power, the files written, and the page."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from poolbench.evaluation.comparison.compare import (
    Comparisons,
    UnknownTestError,
    compare_all,
    compare_pair,
    compare_pair_by_tests,
)
from poolbench.evaluation.comparison.discriminative import NO_PAIR, discriminative_power
from poolbench.evaluation.comparison.effect import WinLossTie
from poolbench.evaluation.comparison.family import TOO_SMALL
from poolbench.evaluation.comparison.formats import FORMATS, format_p_value
from poolbench.evaluation.comparison.paired_values import SAME, TOO_FEW
from poolbench.evaluation.comparison.registry import (
    CORRECTIONS,
    EFFECTS,
    FAMILY_TESTS,
    INTERVALS,
    TESTS,
)
from poolbench.evaluation.comparison.scores import unique_run_tags, values_by_measure
from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.options import ScoringOptions
from poolbench.statistics.draws import Floats, ResamplingOptions
from tests.csv_reading import csv_conditions, csv_rows
from tests.poolbench.evaluation.comparison.test_family import campaign
from tests.poolbench.evaluation.comparison.test_paired import drawn

TAGS = ("A", "B", "C", "D", "E")


def holed() -> Floats:
    values = campaign(5, 20)
    values[1, 3] = values[2, 3] = values[4, 7] = np.nan
    return values


@pytest.mark.parametrize("test", TESTS)
def test_a_pair_tells_everything_about_its_common_topics(test: str) -> None:
    first, second = drawn(20)
    first[4], second[9] = np.nan, np.nan
    found = compare_pair(first, second, test=test, seed=3, resamples=500)
    kept = np.delete(np.arange(20), [4, 9])
    one, two = first[kept], second[kept]
    assert (found.n, found.left_out) == (18, 2)
    assert found.means == (pytest.approx(one.mean()), pytest.approx(two.mean()))
    assert found.outcome == TESTS[test].of_pair(one, two, ResamplingOptions(3, 500))
    assert found.balance == WinLossTie(int((one > two).sum()), int((one < two).sum()), 0)
    assert list(found.effects) == list(EFFECTS)
    assert found.effects["difference"].value == pytest.approx((one - two).mean())
    assert list(found.intervals) == list(INTERVALS)
    means = [interval.value for interval in found.intervals.values()]
    assert means == pytest.approx([(one - two).mean()] * len(INTERVALS))


def test_a_pair_without_a_common_topic_is_undefined_throughout() -> None:
    found = compare_pair(np.array([0.5, np.nan]), np.array([np.nan, 0.5]))
    assert (found.n, found.left_out, found.means) == (0, 2, (None, None))
    assert found.outcome.reason == TOO_FEW
    assert {effect.why for effect in found.effects.values()} == {TOO_FEW}
    assert found.intervals["t"].low is None


def test_all_tests_at_once_are_each_test_alone() -> None:
    first, second = drawn(12)
    found = compare_pair_by_tests(first, second, seed=3, resamples=500)
    assert {**found} == {
        test: compare_pair(first, second, test=test, seed=3, resamples=500) for test in TESTS
    }


@pytest.mark.parametrize("test", TESTS)
def test_all_pairs_are_the_pairs_with_their_own_topics(test: str) -> None:
    values = holed()
    found = compare_all(values, TAGS, test=test, seed=2, resamples=300)
    assert (found.correction, found.topics, found.left_out) == ("holm", 20, 2)
    names = [(row.first, row.second) for row in found.rows]
    assert names == [(a, b) for i, a in enumerate(TAGS) for b in TAGS[i + 1 :]]
    for row in found.rows:
        first, second = (values[TAGS.index(tag)] for tag in (row.first, row.second))
        pair = compare_pair(first, second, test=test, seed=2, resamples=300)
        assert (row.n, row.p_value) == (pair.n, pair.outcome.p_value)
        assert row.statistic == pytest.approx(pair.outcome.statistic)
        assert row.difference == pytest.approx(pair.effects["difference"].value)
        assert row.effect == pytest.approx(pair.effects["d_z"].value)
        assert WinLossTie(row.wins, row.losses, row.ties) == pair.balance
    raw = np.array([row.p_value for row in found.rows], float)
    assert [row.adjusted for row in found.rows] == CORRECTIONS["holm"].adjust(raw).tolist()


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_pairs_are_different_where_the_adjusted_p_is_alpha_or_less(correction: str) -> None:
    found = compare_all(campaign(5, 40), TAGS, correction=correction, alpha=0.1)
    assert [row.different for row in found.rows] == [
        (row.adjusted or 1) <= 0.1 for row in found.rows
    ]
    assert 0 < len(found.different) < 10


@pytest.mark.parametrize("test", FAMILY_TESTS)
def test_tukeys_hsd_takes_the_topics_of_all_runs_and_no_correction(test: str) -> None:
    values = holed()
    found = compare_all(values, TAGS, test=test, resamples=300)
    wanted = FAMILY_TESTS[test].of_runs(values, 0.05, ResamplingOptions(0, 300))
    assert (found.correction, found.left_out, found.critical) == ("none", 2, wanted.critical)
    assert {row.n for row in found.rows} == {18}
    assert [row.p_value for row in found.rows] == wanted.p_value.tolist()
    assert [row.adjusted for row in found.rows] == wanted.p_value.tolist()
    assert [row.difference for row in found.rows] == pytest.approx(wanted.differences.tolist())


@pytest.mark.parametrize(("test", "correction", "told"), [
    ("anova", None, "unknown test 'anova'; use one of t, wilcoxon, sign"),
    ("t", "sidak", "unknown correction 'sidak'; use one of holm, bonferroni, bh, none"),
    ("tukey-hsd", "holm", "corrects for multiple comparisons itself"),
])  # fmt: skip
def test_names_that_are_none_are_refused(test: str, correction: str | None, told: str) -> None:
    with pytest.raises(UnknownTestError, match=told):
        compare_all(campaign(5, 20), TAGS, test=test, correction=correction)


def test_a_pair_takes_no_test_of_all_pairs() -> None:
    with pytest.raises(UnknownTestError, match="unknown paired test"):
        compare_pair(np.ones(3), np.zeros(3), test="tukey-hsd")


@pytest.mark.parametrize(
    ("values", "alpha"), [(np.ones((4, 3)), 0.05), (np.ones(5), 0.05), (np.ones((5, 3)), 1.0)]
)
def test_values_of_another_shape_and_other_alphas_are_refused(values: Floats, alpha: float) -> None:
    with pytest.raises(ValueError, match=r"runs × topics|between 0 and 1"):
        compare_all(values, TAGS, alpha=alpha)


@pytest.mark.parametrize("test", [*TESTS, *FAMILY_TESTS])
@pytest.mark.parametrize(("runs", "topics"), [(0, 3), (1, 3), (3, 0), (3, 1)])
def test_too_few_runs_or_topics_are_told_and_never_an_error(test, runs, topics):
    found = compare_all(np.ones((runs, topics)), TAGS[:runs], test=test)
    assert len(found.rows) == runs * (runs - 1) // 2
    assert {(row.p_value, row.adjusted, row.different) for row in found.rows} <= {
        (None, None, False)
    }
    assert {row.reason for row in found.rows} <= {TOO_FEW, TOO_SMALL}
    power = discriminative_power(found)
    assert (power.share, power.curve, power.reason) == (None, (), NO_PAIR)


def test_a_run_without_values_silences_its_own_pairs_only() -> None:
    values = campaign(5, 20)
    values[2] = np.nan
    found = compare_all(values, TAGS)
    reasons = {row.reason for row in found.rows if "C" in (row.first, row.second)}
    assert reasons == {TOO_FEW}
    others = [0, 1, 3, 4]
    alone = compare_all(values[others], [TAGS[run] for run in others])
    assert [row for row in found.rows if row.reason is None] == list(alone.rows)


def test_means_of_runs_come_with_their_interval() -> None:
    values = holed()
    found = compare_all(values, TAGS, alpha=0.1)
    assert [mean.n for mean in found.means] == [20, 19, 19, 20, 19]
    wanted = stats.t.interval(0.9, 19, values[0].mean(), stats.sem(values[0]))
    assert (found.means[0].low, found.means[0].high) == pytest.approx(wanted)


def scored(tag: str, topics: tuple[str, ...]) -> ScoredRun:
    qrels = {topic: {"d1": 1, "d2": 0} for topic in ("1", "2", "3")}
    run = {topic: {"d1": 2.0, "d2": float(topic)} for topic in topics}
    options = ScoringOptions(topics="common")
    return replace(evaluate(run, qrels, ["num_q", "num_rel", "map"], options), tag=tag)


def test_values_of_scored_runs_are_laid_side_by_side_by_topic() -> None:
    found = values_by_measure([scored("a", ("1", "3")), scored("b", ("2", "3"))])
    assert list(found) == ["num_rel", "map"]
    nan = pytest.approx(np.nan, nan_ok=True)
    assert found["map"].tolist() == [[1.0, 0.5, nan], [nan, 0.5, 0.5]]
    assert values_by_measure([]) == {}


def test_runs_with_one_tag_are_told_apart_by_their_files() -> None:
    told = unique_run_tags(["x", "y", "x"], ["1.gz", "2.gz", "3.gz"])
    assert told == ("x (1.gz)", "y", "x (3.gz)")


def test_resamples_too_few_for_the_correction_are_told() -> None:
    values = campaign(30, 20)
    tags = [f"run{number}" for number in range(30)]
    found = compare_all(values, tags, test="bootstrap", resamples=1000)
    assert found.warning.startswith("no pair can be significant: over 435 pairs the smallest")
    assert found.different == ()
    assert (
        compare_all(values, tags, test="bootstrap", resamples=1000, correction="bh").warning == ""
    )
    assert compare_all(values, tags, test="t").warning == ""
    assert compare_all(values[:2], tags[:2], test="bootstrap", resamples=1000).warning == ""
    assert compare_all(values[:, :5], tags, test="sign").warning != ""


def test_discriminative_power_is_the_share_of_pairs_told_apart() -> None:
    found = compare_all(campaign(5, 40), TAGS, correction="bonferroni")
    power = discriminative_power(found)
    different = [row for row in found.rows if (row.adjusted or 1) <= 0.05]
    assert (power.different, power.pairs, power.undefined) == (len(different), 10, 0)
    assert power.share == len(different) / 10
    assert list(power.curve) == sorted((row.adjusted or 0 for row in found.rows), reverse=True)
    others = [abs(row.difference or 0) for row in found.rows if not row.different]
    assert power.needed == max(others)


def test_discriminative_power_counts_undefined_pairs_as_not_told_apart() -> None:
    second = np.linspace(0.1, 0.5, 10)
    values = np.array([second + 0.2, second, np.random.default_rng(0).uniform(5, 6, 10)])
    found = compare_all(values, "ABC")
    assert found.rows[0].reason == SAME
    power = discriminative_power(found)
    assert (power.different, power.pairs, power.undefined, power.share) == (2, 3, 1, 2 / 3)
    assert power.needed == pytest.approx(0.2)


def test_with_tukeys_hsd_the_difference_needed_is_the_critical_one() -> None:
    found = compare_all(campaign(5, 40), TAGS, test="tukey-hsd")
    assert discriminative_power(found).needed == found.critical


def measured() -> dict[str, Comparisons]:
    second = np.linspace(0.1, 0.5, 10)
    values = np.array([second + 0.2, second, second])
    return {"map": compare_all(values, ("ours", "base", "twin"))}


def test_the_table_tells_conditions_values_and_reasons() -> None:
    lines = FORMATS["table"](measured()).splitlines()
    assert lines[0] == (
        "map: t, correction holm, alpha 0.05; 10 topics, 0 not in all runs; "
        "0 of 3 pairs significant"
    )
    assert [line.split() for line in lines[2:6]] == [
        ["run", "n", "mean", "95%", "low", "high", "group"],
        ["ours", "10", "0.5000", "0.4037", "0.5963", "a"],
        ["base", "10", "0.3000", "0.2037", "0.3963", "a"],
        ["twin", "10", "0.3000", "0.2037", "0.3963", "a"],
    ]
    assert lines[8].split() == [
        *("ours", "base", "10", "0.2000", "null", "10", "0", "0", "null", "null", "null")
    ]
    assert lines[10].split()[-3:] == ["0.0000", "1.0000", "1.0000"]
    assert f"ours ~ base: undefined, {SAME}" in lines
    assert "p: all differences are 0" in lines


def test_csv_has_a_line_a_pair_in_full_precision() -> None:
    values = campaign(3, 20)
    found = compare_all(values, ("a,b", "c", "d"), test="wilcoxon")
    text = FORMATS["csv"]({"map": found, "P_10": found})
    rows = csv_rows(text)
    assert [row["measure"] for row in rows] == ["map"] * 3 + ["P_10"] * 3
    assert rows[0]["first"] == "a,b"
    assert csv_conditions(text)["measures"]["P_10"] == found.conditions()
    assert [float(row["p_value"]) for row in rows[:3]] == [row.p_value for row in found.rows]
    assert [row["different"] for row in rows[:3]] == [str(int(r.different)) for r in found.rows]
    undefined = next(iter(csv_rows(FORMATS["csv"](measured()))))
    assert (undefined["p_value"], undefined["reason"]) == ("", SAME)


def test_json_has_conditions_power_and_pairs() -> None:
    conditions = {"ours": {"level": 2}}
    everything = json.loads(FORMATS["json"](measured(), conditions))
    assert everything["scores"] == conditions
    content = everything["measures"]["map"]
    assert [run["run"] for run in content["runs"]] == ["ours", "base", "twin"]
    assert content["runs"][0]["mean"] == pytest.approx(0.5)
    assert content["conditions"] == {
        "test": "t", "correction": "holm", "alpha": 0.05, "seed": 0, "resamples": 10000, "runs": 3,
        "pairs": 3, "pairs_corrected_over": 3, "topics": 10, "topics_not_in_all_runs": 0,
        "critical_difference": None, "warning": None,
    }  # fmt: skip
    assert content["discriminative_power"]["share"] == 0
    assert (content["pairs"][0]["p_value"], content["pairs"][0]["reason"]) == (None, SAME)
    assert content["pairs"][2]["p_value"] == 1.0


@pytest.mark.parametrize(
    ("value", "told"), [(None, "null"), (0.0, "0.0000"), (0.12345, "0.1235"), (2e-6, "2.0e-06")]
)
def test_small_numbers_are_not_shown_as_0(value: float | None, told: str) -> None:
    assert format_p_value(value) == told
