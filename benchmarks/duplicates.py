"""Groups of duplicates among generated texts: time and peak memory.

    python benchmarks/duplicates.py [--documents 100000] [--words 300]

A tenth of the documents copy an earlier one, word for word or with 1 or 5 % other words.
"""

import argparse
import resource
import time
from collections.abc import Iterator

import numpy as np

from poolbench.texts.duplicates import group_duplicates, sign_texts

VOCABULARY, SEED = 50_000, 20261128
SHARES = (0.0, 0.01, 0.05)


def iter_texts(documents: int, words: int) -> Iterator[str]:
    rng = np.random.default_rng(SEED)
    chances = 1 / np.arange(1, VOCABULARY + 1)
    table = rng.choice(VOCABULARY, 1 << 20, p=chances / chances.sum())
    names = [f"word{word}" for word in range(VOCABULARY)]
    recent = np.zeros((100, words), np.int64)
    for number in range(documents):
        row = table[rng.integers(len(table), size=words)]
        if number >= 100 and number % 10 == 0:
            row = recent[rng.integers(100)].copy()
            others = round(SHARES[number // 10 % 3] * words)
            row[rng.choice(words, others, replace=False)] = rng.integers(0, VOCABULARY, others)
        recent[number % 100] = row
        yield " ".join([names[word] for word in row.tolist()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=300)
    chosen = parser.parse_args()
    began, cpu = time.perf_counter(), time.process_time()
    for _ in iter_texts(chosen.documents, chosen.words):
        pass
    generated = time.process_time() - cpu
    began, cpu = time.perf_counter(), time.process_time()
    signed = sign_texts(iter_texts(chosen.documents, chosen.words))
    signed_at = time.process_time() - cpu - generated
    groups = group_duplicates(signed)
    print(f"{chosen.documents:,} documents of {chosen.words} words, {len(groups):,} groups")
    print(f"signatures  {signed_at:6.1f} s CPU (without {generated:.1f} s to generate the texts)")
    print(f"all         {time.process_time() - cpu - generated:6.1f} s CPU")
    print(f"wall        {time.perf_counter() - began:6.1f} s, the generation included")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:6.0f} MiB")


if __name__ == "__main__":
    main()
