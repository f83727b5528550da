"""Groups of duplicates among generated texts: time and peak memory.

    python benchmarks/duplicates.py [--documents 100000] [--words 300] [--jobs]

With ``--jobs`` a campaign on SQLite: what the job takes after all documents but 100 were imported,
and after these.

A tenth of the documents copy an earlier one, word for word or with 1 or 5 % other words.
"""

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from poolbench.texts.duplicates import group_duplicates, sign_texts

VOCABULARY, SEED = 50_000, 20261128
IMPORTED = 100
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


def time_jobs(documents: int, words: int) -> None:
    from benchmarks.judging import prepare_site

    with prepare_site(argparse.Namespace(sqlite=True)):
        from django.db import transaction

        from campaigns.models import Campaign, Document, User
        from campaigns.services.campaigns import create_campaign
        from campaigns.services.duplicates import (
            GROUP,
            group_campaign_duplicates,
            request_duplicates,
        )
        from poolbench.judging.scale import GradeSpec

        owner = User.objects.create(username="owner", can_create_campaigns=True)
        scale = [GradeSpec(0, "no", "0", 0.0), GradeSpec(1, "yes", "1", 1.0)]
        campaign: Campaign = create_campaign(actor=owner, title="Texts", slug="texts", scale=scale)
        texts = enumerate(iter_texts(documents, words))
        rows = (
            Document(campaign=campaign, docno=f"d{number}", body=text, sha256=f"{number:064}")
            for number, text in texts
        )
        for count in (documents - IMPORTED, IMPORTED):
            Document.objects.bulk_create(islice(rows, count), batch_size=500)
            with transaction.atomic():
                request_duplicates(campaign)
            cpu = time.process_time()
            perform_here(campaign.jobs.filter(kind=GROUP).first(), group_campaign_duplicates)
            seconds = time.process_time() - cpu
            found = campaign.duplicates.values("group").distinct().count()
            print(f"job after {count:,} documents: {seconds:.1f} s CPU, {found:,} groups")


def perform_here(job: Any, handle: Callable[[Any], None]) -> None:
    """The job and its parts, as one worker does them."""
    from campaigns.services import jobs
    from campaigns.services.job_parts import perform_part

    jobs.perform_job(job.pk, handle)
    for part in list(job.parts.all()):
        perform_part(job.pk, part.number)
    job.refresh_from_db()
    if job.state == job.State.QUEUED:
        jobs.perform_job(job.pk, handle)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--jobs", action="store_true")
    chosen = parser.parse_args()
    if chosen.jobs:
        time_jobs(chosen.documents, chosen.words)
    else:
        time_library(chosen.documents, chosen.words)


def time_library(documents: int, words: int) -> None:
    began, cpu = time.perf_counter(), time.process_time()
    for _ in iter_texts(documents, words):
        pass
    generated = time.process_time() - cpu
    began, cpu = time.perf_counter(), time.process_time()
    signed = sign_texts(iter_texts(documents, words))
    signed_at = time.process_time() - cpu - generated
    groups = group_duplicates(signed)
    print(f"{documents:,} documents of {words} words, {len(groups):,} groups")
    print(f"signatures  {signed_at:6.1f} s CPU (without {generated:.1f} s to generate the texts)")
    print(f"all         {time.process_time() - cpu - generated:6.1f} s CPU")
    print(f"wall        {time.perf_counter() - began:6.1f} s, the generation included")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:6.0f} MiB")


if __name__ == "__main__":
    main()
