"""Real crowds: agreement as published with the data, and what the models make of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from poolbench.judging.aggregation.base import aggregate_labels, build_matrix_from_labels
from poolbench.judging.aggregation.registry import MODELS
from poolbench.judging.agreement.registry import COEFFICIENTS
from tests.poolbench.judging.crowd_files import read_crowd_labels
from tests.poolbench.judging.labelled import compute_coefficient


@pytest.mark.parametrize(("scale", "alpha"), [("3P", 0.055986), ("2P", 0.124453)])
def test_workers_of_a_crowd_hardly_agree(data_dir: Path, scale: str, alpha: float) -> None:
    """The notes of the data say .056 and .125; a plain loop over the files gives .1245 as well."""
    labels = read_crowd_labels(data_dir / "nyt-crowd" / f"crowd-{scale}-Doc-NoHigh.tsv")
    assert int(labels.judged.sum()) == 1800
    assert len({topic for topic, _ in labels.pairs}) == 10
    assert (len(labels.pairs), int(labels.judged.sum(axis=0).min())) == (120, 15)
    value = compute_coefficient(COEFFICIENTS["alpha-ordinal"], labels, 1).value
    assert value == pytest.approx(alpha, abs=1e-6)


@pytest.mark.parametrize("scale", ["3P", "2P"])
def test_models_differ_on_a_crowd_that_hardly_agrees(data_dir: Path, scale: str) -> None:
    """15 labels a pair leave the majority unsure; models of workers are sure, and not of the
    same grades.
    """
    labels = read_crowd_labels(data_dir / "nyt-crowd" / f"crowd-{scale}-Doc-NoHigh.tsv")
    matrix = build_matrix_from_labels(labels)
    base = aggregate_labels(MODELS["majority"], matrix)
    assert base.mean_entropy is not None
    assert base.mean_entropy > 0.6
    for name in ("dawid-skene", "dawid-skene-one-coin", "mace", "ordinal"):
        result = aggregate_labels(MODELS[name], matrix)
        assert result.mean_entropy is not None
        assert result.mean_entropy < 0.75 * base.mean_entropy, name
        assert 0 < int((result.grades != base.grades).sum()) < 80, name
