"""Probabilities with which units enter a sample of a fixed size."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def inclusion_probabilities(weight: Floats, number: int) -> Floats:
    """Probabilities proportional to ``weight``, at most 1, with sum ``number``."""
    probability = np.ones(len(weight))
    if number >= len(weight):
        return probability
    order = np.argsort(-weight, kind="stable")
    ranked = weight[order]
    below = np.cumsum(ranked[::-1])[::-1]
    left = number - np.arange(len(ranked))
    # Each certain document lowers the rest; stop at the first probability below 1.
    certain = int(np.argmax(left * ranked < below))
    probability[order[certain:]] = (number - certain) * ranked[certain:] / below[certain]
    return probability
