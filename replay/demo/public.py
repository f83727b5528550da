"""The demo's public page: the call, data for everybody, and published scores and qrels."""

from campaigns.models import Campaign, DataFile, User
from campaigns.services.data_files import edit_data_file, release_data_file
from campaigns.services.jobs import run_jobs_inline
from campaigns.services.made_files import request_made_files
from campaigns.services.public_page import edit_public_page, publish_page
from evaluation.services.release import publish_scores
from judging.services.qrels_release import release_qrels

EVERYBODY = DataFile.Audience.EVERYBODY
SUMMARY = "Find the function, class or module of Python's standard library that a programmer needs."
CALL = """\
For each question of a programmer, rank up to 1,000 entries of the documentation of Python's
standard library. An entry is relevant if it answers part of the question.

# How it is judged

Runs are pooled; three assessors grade what they find from 0 to 3, nine topics all three of them.
Scores use one qrels version, which everybody can download below.
"""
ORGANIZERS = "A sample campaign that comes with Poolbench; teams and assessors are fictional."
LICENCE = "Apache License 2.0"
FILES = ("topics.xml", "topics.jsonl", "topics.tsv", "sample-run.txt")


def publish_demo(actor: User, campaign: Campaign) -> None:
    """Show the campaign to everybody: its page, scores, qrels and topics."""
    texts = {"summary": SUMMARY, "call": CALL, "organizers": ORGANIZERS}
    edit_public_page(actor=actor, campaign=campaign, **texts)
    with run_jobs_inline():
        request_made_files(campaign)
        for file in campaign.data_files.filter(name__in=FILES):
            edit_data_file(actor=actor, file=file, title=file.title, licence=LICENCE)
            release_data_file(actor=actor, file=file, audience=EVERYBODY)
    score_set = campaign.score_sets.filter(released_at__isnull=False).get()
    release_qrels(actor=actor, qrels=score_set.qrels, audience=EVERYBODY)
    publish_scores(actor=actor, score_set=score_set)
    publish_page(actor=actor, campaign=campaign)
