"""Fixtures of several tests of scores."""

from tests.evaluation.samples import sampled

__all__ = ["sampled"]
