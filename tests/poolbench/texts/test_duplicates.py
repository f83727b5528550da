"""Duplicates and near duplicates in generated texts with known edits."""

from itertools import combinations
from random import Random

import pytest

from poolbench.texts.duplicates import (
    MOST_ALIKE,
    group_duplicates,
    normalize_text,
    sign_texts,
    split_into_words,
)

TEXTS, WORDS = 400, 300
VOCABULARY = [f"word{number}" for number in range(20_000)]
CHANCES = [1 / (number + 1) for number in range(20_000)]


def seed_random(seed: int) -> Random:
    return Random(seed)  # noqa: S311


def replace_words(rng: Random, text: str, share: float) -> str:
    words = text.split()
    for place in rng.sample(range(len(words)), round(share * len(words))):
        words[place] = rng.choice(VOCABULARY)
    return " ".join(words)


def measure_pairs(share: float) -> tuple[float, float]:
    """Precision and recall of the pairs (text, its edited copy), one for each of ``TEXTS``."""
    rng = seed_random(7)
    texts = [" ".join(rng.choices(VOCABULARY, CHANCES, k=WORDS)) for _ in range(TEXTS)]
    texts += [replace_words(rng, text, share) for text in texts]
    groups = group_duplicates(sign_texts(texts))
    pairs = {pair for group in groups for pair in combinations(group.members, 2)}
    right = pairs & {(place, TEXTS + place) for place in range(TEXTS)}
    return len(right) / len(pairs) if pairs else 1.0, len(right) / TEXTS


@pytest.mark.parametrize(
    ("share", "precision", "recall"),
    [(0, 1.0, 1.0), (0.01, 1.0, 1.0), (0.05, 1.0, 0.985), (0.20, 1.0, 0.0)],
)  # 0.5 s each
def test_copies_with_known_edits_are_grouped(share, precision, recall):
    assert measure_pairs(share) == (precision, recall)


def test_case_white_space_page_ends_and_compatibility_forms_do_not_count():
    same = [
        "A ﬁne  Text\n\f of two PAGES",
        "a fine text of two pages ",
        "A fine text\u00a0of two pages",
    ]
    assert {normalize_text(text) for text in same} == {"a fine text of two pages"}
    assert [group.members for group in group_duplicates(sign_texts(same))] == [(0, 1, 2)]
    assert normalize_text("a fine, text") != normalize_text("a fine text")


def test_empty_texts_are_not_duplicates_and_short_ones_only_if_equal():
    texts = ["", " \f", "two words", "Two words", "two other"]
    assert [group.members for group in group_duplicates(sign_texts(texts))] == [(2, 3)]


def test_texts_without_blanks_are_compared_by_letters():
    text = "資訊檢索系統的評估需要文件、查詢和相關性判斷" * 3
    assert split_into_words(text)[:3] == ["資", "訊", "檢"]
    letters = "".join(chr(0x4E00 + seed_random(3).randrange(9) + 7 * at) for at in range(300))
    edited = f"{letters[:150]}x{letters[151:]}"
    assert [group.members for group in group_duplicates(sign_texts([letters, edited]))] == [(0, 1)]


def test_each_member_resembles_the_first_not_only_another_member():
    """A text is edited again and again: a chain of links would join the first and the last."""
    rng = seed_random(11)
    chain = [" ".join(rng.choices(VOCABULARY, k=WORDS))]
    for _ in range(9):
        chain.append(replace_words(rng, chain[-1], 0.04))
    members = [group.members for group in group_duplicates(sign_texts(chain))]
    assert len(members) > 1
    assert members[0] == (0, 1, 2)


def test_very_many_texts_alike_are_one_group():
    rng = seed_random(13)
    text = " ".join(rng.choices(VOCABULARY, k=WORDS))
    texts = [replace_words(rng, text, 0.01) for _ in range(MOST_ALIKE + 20)]
    [group] = group_duplicates(sign_texts([text, *texts]))
    assert group.members == tuple(range(MOST_ALIKE + 21))


def test_nothing_has_no_groups():
    assert group_duplicates(sign_texts([])) == []
