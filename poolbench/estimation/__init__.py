"""Scores that full judging would give, estimated with intervals from judgments of a sample.

A sample of the pool, drawn with known probabilities (``poolbench/pooling/methods/influence.py``),
is judged by people. ``calibration`` learns from it how probable each grade of the other pairs is,
with or without machine grades; ``estimates`` puts these chances where no grade is, and corrects the
result by what the sample shows; ``errors`` says how far off it can be. Machine grades sharpen
an estimate; where it is linear in the grades they cannot bias it. People's qrels stay as they are.

Symbols as in docs/estimates.md: ``y`` steps of people's grades, ``m`` their chances, ``q`` either,
``pi`` inclusion probabilities.
"""
