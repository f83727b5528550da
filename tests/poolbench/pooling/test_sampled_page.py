"""The samples that docs/pooling.md draws from the toy, worked anew in fractions."""

from fractions import Fraction
from itertools import accumulate, combinations, product
from math import exp, log, sqrt
from statistics import fmean, pstdev

import pytest

from poolbench.pooling.pool_builder import start_sessions
from poolbench.pooling.registry import LISTED
from poolbench.pooling.session import PoolStep
from poolbench.runs.hash_order import hash_order
from tests.poolbench.pooling.toy import FLAT, RELEVANT, TOY, rows_after, step, toy_listing

WINDOWS = [(1, 1), (2, 3)]
STRATA = step("strata", windows=[[1, 1], [2, 3]], sample=[1, 0.5])
STATAP = step("statap", documents=2)
INFLUENCE = step("influence", number=4, measures=["P_2"])


def lists_of(topic: str) -> list[str]:
    return [topics[topic] for topics in TOY.values() if topics.get(topic)]


def by_lot(topic: str, documents: str) -> str:
    return "".join(sorted(documents, key=lambda d: hash_order(0, topic, f"lot {d}")))


def strata_of(topic: str) -> list[str]:
    ranks = {
        d: min(listed.index(d) + 1 for listed in lists_of(topic) if d in listed)
        for d in sorted(set("".join(lists_of(topic))))
    }
    return ["".join(d for d, r in ranks.items() if low <= r <= high) for low, high in WINDOWS]


def size(stratum: int, documents: str) -> int:
    """One of the first stratum; half of the second, rounded half up, to one at least."""
    return 1 if stratum == 1 else max(1, (len(documents) + 1) // 2)


def drawn_of(name: PoolStep, topic: str) -> dict[str, tuple[float, int]]:
    """By document drawn: its probability and stratum."""
    (session,) = (s for s in start_sessions(toy_listing(), [name]) if s.candidates.topic == topic)
    sample = session.sample
    assert sample is not None
    docs = [session.candidates.docnos[doc] for doc in sample.frame]
    rows = zip(docs, sample.probability.tolist(), sample.stratum.tolist(), strict=True)
    return {d: (share, at) for (d, share, at), yes in zip(rows, sample.sampled, strict=True) if yes}


def test_every_method_that_samples_is_worked_by_hand() -> None:
    names = {method.name for method in LISTED if method.kind == "sampled"}
    assert names == {STRATA.method.name, STATAP.method.name, INFLUENCE.method.name}


def test_the_stratified_sample_is_that_of_the_page() -> None:
    wanted, drawn = [], {}
    for topic in "123":
        for stratum, documents in enumerate(strata_of(topic), 1):
            lots, n = by_lot(topic, documents), size(stratum, documents)
            share = Fraction(n, len(documents))
            drawn |= {(topic, d): (pytest.approx(float(share)), stratum) for d in lots[:n]}
            numbers = f"{n} of {len(lots)}"
            row = [topic, str(stratum), " ".join(lots), numbers, str(share), " ".join(lots[:n])]
            wanted.append(row)
    assert rows_after("**A stratified sample by hand**") == wanted
    found = {(t, d): told for t in "123" for d, told in drawn_of(STRATA, t).items()}
    assert found == drawn


def test_the_estimate_of_the_page_is_right_on_average() -> None:
    frames = [(documents, size(at, documents)) for at, documents in enumerate(strata_of("1"), 1)]
    worth = [Fraction(len(documents), n) for documents, n in frames]
    estimates = [
        sum(w for part, w in zip(parts, worth, strict=True) for d in part if d in RELEVANT["1"])
        for parts in product(*(combinations(documents, n) for documents, n in frames))
    ]
    assert (len(estimates), sum(estimates) / len(estimates)) == (6, len(RELEVANT["1"]))
    drawn = drawn_of(STRATA, "1")
    told = sum(1 / share for d, (share, _) in drawn.items() if d in RELEVANT["1"])
    assert told == pytest.approx(3.5)


def weights_of(topic: str) -> dict[str, Fraction]:
    lists = lists_of(topic)
    found: dict[str, Fraction] = {}
    for listed in lists:
        n = len(listed)
        for rank, d in enumerate(listed, 1):
            tail = sum(Fraction(1, i) for i in range(rank, n + 1))
            found[d] = found.get(d, Fraction(0)) + (1 + tail) / (2 * n) / len(lists)
    return found


def probabilities(weights: dict[str, Fraction], number: int) -> dict[str, Fraction]:
    """In proportion to ``weights``; what would be above 1 is 1, and the others share the rest."""
    certain: dict[str, Fraction] = {}
    while True:
        left = {d: w for d, w in weights.items() if d not in certain}
        shares = {
            d: w * (number - len(certain)) / sum(left.values(), Fraction(0))
            for d, w in left.items()
        }
        above = {d: Fraction(1) for d, share in shares.items() if share >= 1}
        if not above:
            return certain | shares
        certain |= above


def number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def test_the_sample_for_statap_is_that_of_the_page() -> None:
    wanted, drawn = [], {}
    for topic in "123":
        weights = weights_of(topic)
        assert sum(weights.values()) == 1
        share = probabilities(weights, 2)
        certain = sorted(d for d in share if share[d] == 1)
        lots = by_lot(topic, "".join(d for d in share if d not in certain))
        start = hash_order(0, topic, "where the sample starts") / 2**63
        assert f"{start:.3f} in topic {topic}" in FLAT
        ends = [*accumulate(share[d] for d in lots)]
        spans = {d: (end - share[d], end) for d, end in zip(lots, ends, strict=True)}
        hit = {d for d, (low, end) in spans.items() if any(low <= start + i < end for i in (0, 1))}
        for d in [*certain, *lots]:
            span = [number(float(end)) for end in spans[d]] if d in spans else ["", ""]
            yes = d in certain or d in hit
            told = "yes" if yes else "no"
            wanted.append([topic, d, str(weights[d]), number(float(share[d])), *span, told])
            drawn |= {(topic, d): (pytest.approx(float(share[d])), 0)} if yes else {}
    assert rows_after("**A sample for statAP by hand**") == wanted
    found = {(t, d): told for t in "123" for d, told in drawn_of(STATAP, t).items()}
    assert found == drawn


def test_the_sample_by_influence_is_that_of_the_page() -> None:
    pairs = [(t, d) for t in "123" for d in sorted(set("".join(lists_of(t))))]
    ranks = {pair: ranks_of(*pair) for pair in pairs}
    runs = len(TOY)
    logs = {pair: log(sum(1 / (10 + r) for r in ranks[pair]) / runs) for pair in pairs}
    mean, spread = fmean(logs.values()), pstdev(logs.values())
    chance = {p: 0.1 + 0.5 / (1 + exp((mean - own) / spread)) for p, own in logs.items()}
    # P@2 changes by 1/2 in each run that ranks the document first or second.
    worth = {pair: sum(r <= 2 for r in ranks[pair]) / 4 for pair in pairs}
    total = sum(worth.values())
    x = {p: sqrt(own / total * chance[p] * (1 - chance[p])) for p, own in worth.items()}
    z = {p: 0.8 * own / fmean(x.values()) + 0.2 for p, own in x.items()}
    number = 4
    pi = {p: number * own / sum(z.values()) for p, own in z.items()}
    assert max(pi.values()) < 1
    turn = {(t, d): (hash_order(0, t, f"lot {d}") + 0.5) / 2**63 / z[t, d] for t, d in pairs}
    first = sorted(pairs, key=turn.__getitem__)[:number]
    assert rows_after("**A sample by influence by hand**") == [
        [t, d, str(round(worth[t, d] * 4)), *(f"{of[t, d]:.3f}" for of in (chance, z, pi, turn)),
         "yes" if (t, d) in first else "no"]
        for t, d in pairs
    ]  # fmt: skip
    drawn = {(t, d): told for t in "123" for d, told in drawn_of(INFLUENCE, t).items()}
    assert drawn == {pair: (pytest.approx(pi[pair]), 0) for pair in first}


def ranks_of(topic: str, docno: str) -> list[int]:
    return [listed.index(docno) + 1 for listed in lists_of(topic) if docno in listed]
