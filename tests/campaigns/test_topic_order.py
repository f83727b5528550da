"""Topics in natural order, 1, 2, 10, on every page that lists them."""

import json
import random
import re
from pathlib import Path

import pytest
from django.urls import NoReverseMatch, reverse

from campaigns.models import Campaign, User
from campaigns.services.collection import import_topics
from poolbench.files.natural_sort import natural_sort_key
from poolbench.replay.manifest import read_manifest
from replay.services import replay_campaign
from tests.access_table import rows
from tests.examples import take
from tests.pages import read_page
from tests.world.people import user

NUMBERS = tuple(map(str, range(1, 13)))
TABLE_PART = re.compile(r"<table\b.*?</table>", re.DOTALL)
CELL = re.compile(r"<t[hd]\b([^>]*)>(.*?)(?=<t[hdr]\b|</t[hdr]>|$)", re.DOTALL)
MENU = re.compile(r"<select\b[^>]*topic[^>]*>(.*?)</select>", re.DOTALL)
LISTING = {"topics", "agreement", "judging", "qrels", "pool", "stopping", "run-scores"}
HEADS = {"topic", "number", "topics"}
ORDERED_OTHERWISE = {
    "compare": "by difference, largest first",
    "score-set": "runs by score",
    "agreement-variation": "documents by the variance of their grades",
    "consensus": "disagreements by size",
    "my-judgments": "latest first",
    "paper": "by the lead over the median",
}
"""Besides tables whose head says what they are sorted by (``aria-sort``)."""


def write_topics(numbers: list[str]) -> str:
    return "".join(json.dumps({"_id": n, "text": f"about {n}"}) + "\n" for n in numbers)


def write_campaign(folder: Path) -> Path:
    """Twelve topics in an order that is neither that of numbers nor that of text."""
    rng = random.Random(3)  # noqa: S311
    shuffled = list(NUMBERS)
    rng.shuffle(shuffled)
    (folder / "topics.jsonl").write_text(write_topics(shuffled))
    for tag in ("one", "two", "six"):
        lines = [
            f"{n} Q0 d{d} {rank} {9 - rank} {tag}"
            for n in shuffled
            for rank, d in enumerate(rng.sample(range(8), 6), start=1)
        ]
        (folder / f"{tag}.txt").write_text("\n".join(lines) + "\n")
    for name in ("ann", "bob"):
        lines = [f"{n} 0 d{d} {rng.randrange(3)}" for n in shuffled for d in range(8)]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    (folder / "campaign.yaml").write_text(
        "title: Ordered\nslug: ordered\n"
        "scale:\n"
        "  - {grade: 0, label: 'No', key: '0'}\n"
        "  - {grade: 1, label: Maybe, key: '1'}\n"
        "  - {grade: 2, label: 'Yes', key: '2'}\n"
        "topics: topics.jsonl\n"
        "runs:\n"
        "  - {file: one.txt, team: A, tag: one}\n"
        "  - {file: two.txt, team: B, tag: two}\n"
        "  - {file: six.txt, team: C, tag: six}\n"
        "pool: {depth: 8}\n"
        "qrels:\n  - {file: ann.txt, assessor: ann}\n  - {file: bob.txt, assessor: bob}\n"
        "policy: majority\n"
    )
    return folder


@pytest.fixture
def ordered(transactional_db, tmp_path) -> Campaign:
    organizer = user("olga", can_create_campaigns=True)
    replay_campaign(
        actor=organizer, manifest=read_manifest(write_campaign(tmp_path)), write=lambda _: None
    )
    return Campaign.objects.get(slug="ordered")


def list_pages(campaign: Campaign) -> dict[str, str]:
    """The address of every page of the campaign by URL name, wherever its arguments can be met."""
    plan, run = campaign.plans.get(), campaign.runs.all()[0]
    score_set = campaign.score_sets.get()
    others = {"pool": [1], "qrels": [1], "judge": ["1"], "judging-assessor": ["ann"],
              "topic": ["1"], "run": [run.pk], "run-scores": [score_set.pk, run.pk],
              "score-set": [score_set.pk], "compare": [score_set.pk], "pairs": [score_set.pk],
              "measures-compared": [score_set.pk], "plan-assign": [plan.pk]}  # fmt: skip
    pages = {}
    for row, method, _statuses in rows():
        name = row.partition("@")[0]
        if method != "GET" or name.startswith(("api-", "crowd-")) or "download" in name:
            continue
        try:
            pages[name] = reverse(name, args=[campaign.slug, *others.get(name, [])])
        except NoReverseMatch:
            continue
    queries = {"agreement-pair": "?a=ann&b=bob", "qrels-compare": "?a=1&b=1"}
    return {name: url + queries.get(name, "") for name, url in pages.items()}


def plain(html: str) -> str:
    text = re.sub(r"<[^>]+>", " ", html).strip()
    return re.sub(r"\s+", " ", text)


def list_topic_sequences(html: str) -> list[list[str]]:
    """The topics of every table's column of topics, and of every menu of topics."""
    sequences = [
        [word.removeprefix("Topic ").split(":")[0] for word in map(plain, menu.split("</option>"))]
        for menu in MENU.findall(html)
    ]
    for table in TABLE_PART.findall(html):
        rows = [CELL.findall(row) for row in re.split(r"<tr\b", table)[1:]]
        heads = [plain(text).lower() for _, text in rows[0]] if rows else []
        sorted_by = [at for at, (attributes, _) in enumerate(rows[0]) if "aria-sort" in attributes]
        for at, head in enumerate(heads):
            if head in HEADS and (not sorted_by or sorted_by == [at]):
                sequences.append([plain(row[at][1]).split(" ")[0] for row in rows[1:] if row[at:]])
    return [[word for word in words if word in NUMBERS] for words in sequences]


def test_every_page_lists_topics_in_natural_order(ordered, client) -> None:
    found, wrong = set(), []
    for role in ("olga", "ann"):
        client.force_login(User.objects.get(username=role))
        addresses = list_pages(ordered)
        for name in LISTING | set(take(sorted(addresses), 8)):
            answer = client.get(addresses[name], follow=True)
            if answer.status_code != 200 or "html" not in answer.headers["Content-Type"]:
                continue
            for words in list_topic_sequences(read_page(answer)):
                found |= {name} if len(set(words)) > 9 else set()
                if words != sorted(words, key=natural_sort_key) and name not in ORDERED_OTHERWISE:
                    wrong.append(f"{name} ({role}): {' '.join(words[:14])}")
    assert wrong == []
    assert found >= LISTING


def test_topics_imported_later_take_their_place(ordered) -> None:
    organizer = User.objects.get(username="olga")
    later = write_topics(["2b", "0"]).encode()
    import_topics(actor=organizer, campaign=ordered, data=later, file="more.jsonl")
    numbers = list(ordered.topics.values_list("number", flat=True))
    assert numbers == ["0", "1", "2", "2b", *NUMBERS[2:]]
