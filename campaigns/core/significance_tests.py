"""The significance tests and corrections that a campaign may fix, as (name, title).

What they compute stands in evaluation/core/comparison; a test holds the lists together.
"""

from __future__ import annotations

TESTS = (
    ("t", "Paired t test"),
    ("wilcoxon", "Wilcoxon signed-rank test"),
    ("sign", "Sign test"),
    ("randomisation", "Randomisation test"),
    ("bootstrap", "Bootstrap test"),
    ("tukey-hsd", "Tukey's HSD, all runs at once"),
    ("randomised-tukey-hsd", "Randomised Tukey HSD, all runs at once"),
)
CORRECTIONS = (
    ("none", "None"),
    ("bonferroni", "Bonferroni"),
    ("holm", "Holm"),
    ("bh", "Benjamini and Hochberg"),
)
