"""The significance tests and corrections that a campaign can choose, as (name, title).

poolbench/evaluation/comparison computes them; a test keeps the lists in step.
"""

TESTS = (
    ("t", "Paired t test"),
    ("wilcoxon", "Wilcoxon signed-rank test"),
    ("sign", "Sign test"),
    ("randomisation", "Randomization test"),
    ("bootstrap", "Bootstrap test"),
    ("tukey-hsd", "Tukey's HSD, all runs at once"),
    ("randomised-tukey-hsd", "Randomized Tukey HSD, all runs at once"),
)
CORRECTIONS = (
    ("none", "None"),
    ("bonferroni", "Bonferroni"),
    ("holm", "Holm"),
    ("bh", "Benjamini–Hochberg"),
)
