"""A growing pool that several processes judge at once; what each of them did is in the log.

``python -m tests.judging.growing build`` makes the campaign in the installation that the
environment names; ``... work NAME...`` judges as these assessors, each in a thread, until
nothing is left.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

HANDS, RUNS, DOCUMENTS, BUDGET = 4, 5, 60, 45
SPEC = f"""
budget: {{per_topic: {BUDGET}}}
cutoff: 30
steps:
  - {{method: depth, k: 2, order: random}}
  - {{method: maxmean}}
"""


def relevant(docno: str) -> bool:
    return int(docno[1:]) % 3 == 0


def build() -> None:
    from campaigns.models import Team
    from judging.services.plans import create_plan
    from poolbench.pooling.spec_file import read_spec
    from pooling.services.freeze import freeze_pool
    from tests.world.files import accepted_run
    from tests.world.people import begin_with_assessors

    campaign, people = begin_with_assessors("growing", HANDS)
    owner = campaign.created_by
    team = Team.objects.create(campaign=campaign, name="team")
    runs = []
    for number in range(RUNS):
        # Each run goes through the documents with a step of its own.
        docnos = [f"d{(7 * number + (2 * number + 1) * at) % DOCUMENTS}" for at in range(30)]
        lines = [f"1 Q0 {d} {at} {-at} r{number}\n" for at, d in enumerate(dict.fromkeys(docnos))]
        runs.append(accepted_run(team, f"r{number}", "".join(lines)))
    pool = freeze_pool(actor=owner, campaign=campaign, spec=read_spec(SPEC), runs=runs)
    create_plan(actor=owner, pool=pool, overlap=1, assessors={"1": people})


def work(name: str) -> None:
    """Judge with one or two documents in hand, as the screen does."""
    from campaigns.models import Campaign, User
    from judging.services.judgments import claim_ahead
    from tests.world.judgments import submit_judgment

    campaign = Campaign.objects.get(slug="growing")
    topic = campaign.topics.get()
    args: dict[str, Any] = {
        "actor": User.objects.get(username=name), "campaign": campaign, "topic": topic,
    }  # fmt: skip
    while slots := claim_ahead(**args, count=1 + int(name[1:]) % 2):
        slot = slots[0]
        submit_judgment(**args, slot=slot, grade=int(relevant(slot.item.docno)))


if __name__ == "__main__":
    import django

    django.setup()
    if sys.argv[1] == "build":
        build()
    else:
        with ThreadPoolExecutor() as threads:
            list(threads.map(work, sys.argv[2:]))
