"""CAL worked slowly: tf-idf and a logistic regression in plain Python, for texts of a few words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from tests.poolbench.pooling.toy import QUERIES, TEXTS
from tests.poolbench.pooling.twins import Past, Turn

Row = Mapping[str, float]
BIAS = ""
"""The term that every text has: no word is empty."""
STEPS = 600


def tf_idf(texts: Mapping[str, str]) -> dict[str, Row]:
    """By name of a text: its terms, weighted to length 1."""
    words = {name: re.findall(r"\w\w+", text.lower()) for name, text in texts.items()}
    found = {}
    for name, own in words.items():
        frequent = {word: sum(word in other for other in words.values()) for word in own}
        weight = {
            word: (1 + math.log(own.count(word)))
            * (1 + math.log((1 + len(texts)) / (1 + frequent[word])))
            for word in own
        }
        length = math.hypot(*weight.values())
        found[name] = {word: value / length for word, value in weight.items()}
    return found


def dot(left: Row, right: Row) -> float:
    return sum(value * right.get(word, 0) for word, value in left.items())


def regression(rows: Sequence[Row], signs: Sequence[int]) -> dict[str, float]:
    """What minimises ½ |w|² + Σ ln(1 + e^(−sign · w·row)), by walking downhill."""
    weight: dict[str, float] = {}
    # No slope is steeper than 1 and a quarter of all squared lengths, which are 2 with the bias.
    stride = 1 / (1 + len(rows) / 2)
    for _ in range(STEPS):
        slope = dict(weight)
        for row, sign in zip(rows, signs, strict=True):
            share = sign / (1 + math.exp(sign * dot(weight, row)))
            for word, value in row.items():
                slope[word] = slope.get(word, 0) - share * value
        weight = {word: weight.get(word, 0) - stride * value for word, value in slope.items()}
    return weight


def learned(said: Sequence[tuple[str, str | None, bool]]) -> dict[str, bool]:
    """The judgments of all rounds that are over."""
    batch, due, last = 1, 1, 0
    while due <= len(said):
        last, batch = due, batch + math.ceil(batch / 10)
        due += batch
    return {doc: relevant for doc, _, relevant in said[:last]}


def scores(past: Past) -> dict[str, float]:
    """Of all documents; with so few, each that nobody has judged is presumed not relevant."""
    texts = {doc: TEXTS[doc] for doc in past.documents} | {BIAS: QUERIES[past.topic]}
    rows = {name: {**row, BIAS: 1.0} for name, row in tf_idf(texts).items()}
    positive = {BIAS} | {doc for doc, relevant in learned(past.said).items() if relevant}
    weight = regression([*rows.values()], [1 if name in positive else -1 for name in rows])
    return {doc: dot(weight, rows[doc]) for doc in past.documents}


def cal(past: Past) -> Turn:
    found = scores(past)
    return past.pick(lambda doc: round(found[doc], 5))
