"""A rehearsal: generated runs of three teams, a pool and judgments in a copy of a campaign.

The runs are those of the demo's rankers over the copy's own topics and documents. Judgments are
drawn: what many runs rank high is more often relevant. No figure of a rehearsal means anything.
"""

import secrets
from collections import defaultdict
from collections.abc import Iterator, Sequence

from django.db import transaction
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, Role, Run, User
from campaigns.services import jobs, people
from campaigns.services.endings import name_rehearsal_account
from campaigns.services.runs import submit_and_check_run
from judging.services import imports, plans
from poolbench.pooling.spec import depth_spec
from poolbench.runs.hash_order import hash_order
from poolbench.texts.documents import DocumentText
from poolbench.texts.topics import TopicText
from pooling.models import Pool
from pooling.services.freeze import freeze_pool
from replay.demo import geometric, probabilistic
from replay.demo.rankers import Ranker
from replay.demo.words import Scored

RUNS: tuple[tuple[str, str, Ranker], ...] = (
    ("Rehearsal A", "rehearsal-bm25", probabilistic.rank_bm25),
    ("Rehearsal A", "rehearsal-verbose", probabilistic.rank_verbose),
    ("Rehearsal B", "rehearsal-likelihood", probabilistic.rank_query_likelihood),
    ("Rehearsal B", "rehearsal-feedback", probabilistic.rank_with_feedback),
    ("Rehearsal C", "rehearsal-tfidf", geometric.rank_tfidf),
    ("Rehearsal C", "rehearsal-4grams", geometric.rank_ngrams),
)
"""Team, run tag and ranker."""
MOST_DOCUMENTS = 5_000
"""Documents that are ranked, by a seeded draw: enough to practise, and done in a minute."""
POOL_DEPTH = 10
ASSESSORS = 2


def play_rehearsal(job: Job) -> None:
    """Add the runs to the campaign of the job; a pool and judgments too, if it says so."""
    campaign, actor = job.campaign, job.created_by
    if actor is None or not campaign.rehearsal:
        raise ActionRefused("no-rehearsal", "The campaign is not a rehearsal.")
    topics, documents = list_texts(campaign)
    steps = len(RUNS) + (2 if job.args["judged"] else 0)
    depth = min(campaign.max_docs_per_topic, POOL_DEPTH)
    reciprocal: dict[tuple[str, str], float] = defaultdict(float)
    with jobs.run_jobs_inline():
        for done, (team_name, tag, ranker) in enumerate(RUNS):
            jobs.report_progress(job, done, steps)
            ranked = list(ranker(topics, documents))
            if ranked:  # topics may lack what a ranker reads
                submit_generated_run(actor, campaign, team_name, tag, ranked)
            for topic, docno, rank in iter_ranks(ranked):
                reciprocal[topic, docno] += (rank <= depth) / rank
        if job.args["judged"] and not campaign.pools.exists():
            jobs.report_progress(job, len(RUNS), steps)
            with transaction.atomic():
                judge_rehearsal(actor, campaign, depth, reciprocal)
    jobs.report_progress(job, steps, steps)
    jobs.finish_job_once(job, url=reverse("campaign", args=[campaign.slug]))


def list_texts(campaign: Campaign) -> tuple[list[TopicText], list[DocumentText]]:
    """The topics with runs, and a draw of the documents."""
    topics = [
        TopicText(topic.number, topic.title, topic.description, topic.narrative)
        for topic in campaign.topics.filter(withheld=False)
    ]
    docnos = list(campaign.documents.values_list("docno", flat=True))
    docnos.sort(key=lambda docno: hash_order(campaign.seed, "", docno))
    drawn = campaign.documents.filter(docno__in=docnos[:MOST_DOCUMENTS])
    if len(docnos) <= MOST_DOCUMENTS:
        drawn = campaign.documents.all()
    texts = drawn.order_by("docno").values_list("docno", "title", "body")
    return topics, [DocumentText(docno, title, body) for docno, title, body in texts.iterator()]


def submit_generated_run(
    actor: User, campaign: Campaign, team_name: str, tag: str, ranked: Sequence[Scored]
) -> Run:
    lines = [
        f"{topic} Q0 {docno} {rank} {1000 - rank} {tag}\n"
        for topic, docno, rank in iter_ranks(ranked)
        if rank <= campaign.max_docs_per_topic
    ]
    team = people.get_or_create_team(actor=actor, campaign=campaign, name=team_name)
    return submit_and_check_run(
        actor=actor, campaign=campaign, team=team, data="".join(lines).encode(),
        file_name=f"{tag}.txt", tag=tag, description="Generated for a rehearsal.",
        key=f"rehearsal {tag}",
    )  # fmt: skip


def iter_ranks(ranked: Sequence[Scored]) -> Iterator[tuple[str, str, int]]:
    """``(topic, docno, rank)``, in the order of the rows."""
    counts: dict[str, int] = defaultdict(int)
    for topic, docno, _ in ranked:
        counts[topic] += 1
        yield topic, docno, counts[topic]


def judge_rehearsal(
    actor: User, campaign: Campaign, depth: int, reciprocal: dict[tuple[str, str], float]
) -> Pool:
    """A pool, a plan for two assessors of each topic, and their judgments of all documents."""
    runs = list(campaign.runs.accepted())
    pool = freeze_pool(actor=actor, campaign=campaign, spec=depth_spec(depth), runs=runs)
    users = [create_rehearsal_account(campaign, number) for number in range(1, ASSESSORS + 1)]
    for user in users:
        people.add_member(actor=actor, campaign=campaign, user=user, role=Role.ASSESSOR)
    pairs = list(pool.items.values_list("topic__number", "docno"))
    topics = {topic: users for topic, _ in pairs}
    plans.create_plan(actor=actor, pool=pool, overlap=2, assessors=topics, topics=topics.keys())
    scale = list(campaign.grades.filter(value__gte=0).values_list("value", flat=True))
    for number, user in enumerate(users):
        rows = (
            (topic, docno, draw_grade(campaign, number, topic, docno, scale, reciprocal))
            for topic, docno in pairs
        )
        imports.import_judgments(actor=actor, campaign=campaign, assessor=user, rows=rows)
    return pool


def create_rehearsal_account(campaign: Campaign, number: int) -> User:
    """A new account that cannot sign in, and goes with its rehearsal: its
    name is one that no other account can have had before.
    """
    name = f"{name_rehearsal_account(campaign)}{number}-{secrets.token_hex(3)}"
    return User.objects.create_user(name, first_name=f"Assessor {number} (rehearsal)")


def draw_grade(
    campaign: Campaign, assessor: int, topic: str, docno: str, scale: Sequence[int],
    reciprocal: dict[tuple[str, str], float],
) -> int:  # fmt: skip
    """A grade that is the higher the more runs rank the document high; of one in five documents
    the second assessor has an opinion of their own.
    """
    shared = hash_order(campaign.seed, topic, docno)
    own = shared % 5 == 0
    seed = campaign.seed + assessor if own else campaign.seed
    chance = (hash_order(seed, f"grade {topic}", docno) % 1000) / 1000
    share = min(1.0, 0.2 + reciprocal[topic, docno] / 2) * (1 - chance)
    return scale[min(int(share * 1.6 * len(scale)), len(scale) - 1)]
