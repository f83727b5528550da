"""The layers of the small campaign, in the order in which they are built."""

from __future__ import annotations

from django.db import transaction

from campaigns.models import Campaign, Role, Team, User
from campaigns.services.people import get_or_create_team
from evaluation.services.scoring import score_campaign
from judging.services.plans import create_plan
from poolbench.pooling.spec_file import read_spec
from pooling.models import Pool
from pooling.services.freeze import freeze_pool
from tests.world import files, judged
from tests.world.people import begin, joined, user
from tests.world.recording import Layer, Recorder
from tests.world.site import build_site

PAIRS = {"1": ["d1", "d2", "d3", "d4"], "2": ["d5", "d6"], "3": ["d7", "d8", "d9"]}
SITE = 500
PEOPLE = {
    "assessor": Role.ASSESSOR,
    "assessor2": Role.ASSESSOR,
    "assessor3": Role.ASSESSOR,
    "adjudicator": Role.ADJUDICATOR,
    "viewer": Role.VIEWER,
}


def record_layers() -> dict[str, Layer]:
    """Build all layers in a transaction that is rolled back."""
    recorder = Recorder()
    keep = recorder.record
    with transaction.atomic():
        organizer = keep("organizer", lambda: user("organizer", can_create_campaigns=True))
        keep("stranger", lambda: user("stranger"))
        campaign = keep("campaign", lambda: begin(organizer))
        for name, role in PEOPLE.items():
            keep(name, lambda name=name, role=role: joined(campaign, name, role))
        for name, title in (("team", "Alpha"), ("other_team", "Beta")):
            keep(name, lambda title=title: add_team(organizer, campaign, title))
        for name, team in (("participant", "Alpha"), ("rival", "Beta")):
            keep(name, lambda name=name, team=team: join_team(campaign, name, team))
        for part in (record_judging, record_scores, record_runs, record_growing):
            with recorder.aside():
                part(recorder, organizer, campaign)
        transaction.set_rollback(True)
    # The whole site, with keys of its own.
    site = Recorder(first=SITE)
    with transaction.atomic():
        site.record("site", build_site)
        transaction.set_rollback(True)
    return recorder.layers | site.layers


def record_judging(recorder: Recorder, organizer: User, campaign: Campaign) -> None:
    one, two, three = (User.objects.get(username=name) for name in list(PEOPLE)[:3])
    pool: Pool = recorder.record("pool", lambda: files.make_pool(campaign, PAIRS))

    def lay_out(people: list[User]) -> object:
        return create_plan(
            actor=organizer, pool=pool, overlap=len(people), assessors=dict.fromkeys(PAIRS, people)
        )

    for name, make in (
        ("plan", lambda: lay_out([one])),
        ("busy", lambda: judged.do_everything(pool, one, two, three)),
    ):
        with recorder.aside():
            recorder.record(name, make)
    plan = recorder.record("double_plan", lambda: lay_out([one, two]))
    for name, make in (
        ("disputes", lambda: judged.give_grades(campaign, judged.DISPUTES, one, two)),
        ("reasons", lambda: judged.give_grades_and_reasons(campaign, one, two)),
        ("votes", lambda: judged.give_grades(campaign, judged.VOTES, one, two)),
        ("thirds", lambda: judged.ask_thirds(campaign, plan, [one, two, three])),
    ):
        with recorder.aside():
            recorder.record(name, make)


def add_team(organizer: User, campaign: Campaign, name: str) -> Team:
    return get_or_create_team(actor=organizer, campaign=campaign, name=name)


def join_team(campaign: Campaign, name: str, team: str) -> User:
    return joined(campaign, name, Role.PARTICIPANT, campaign.teams.get(name=team))


def record_scores(recorder: Recorder, organizer: User, campaign: Campaign) -> None:
    for name, team, tag, text in (
        ("alpha", "Alpha", "alpha-one", files.ALPHA),
        ("beta", "Beta", "beta-secret", files.BETA),
        ("beta2", "Beta", "beta-other", files.BETA2),
    ):
        run = campaign.teams.get(name=team), tag, text
        recorder.record(name, lambda run=run: files.accepted_run(*run))
    qrels = recorder.record("qrels", lambda: files.qrels_release(campaign))
    recorder.record(
        "score_set", lambda: score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    )


def record_runs(recorder: Recorder, organizer: User, campaign: Campaign) -> None:
    recorder.record(
        "toy_runs",
        lambda: [
            files.ranked_run(campaign.teams.get(name=team), tag, ranked, priority)
            for tag, (team, priority, ranked) in files.TOY.items()
        ],
    )


def record_growing(recorder: Recorder, organizer: User, campaign: Campaign) -> None:
    given = {"actor": organizer, "campaign": campaign, "spec": read_spec(judged.GROWING)}
    team, people = campaign.teams.get(name="Alpha"), [User.objects.get(username="assessor")]
    runs = recorder.record("growing_runs", lambda: judged.rank_growing(team))
    pool = recorder.record("growing_pool", lambda: freeze_pool(**given, runs=runs))
    laid = {"actor": organizer, "pool": pool, "overlap": 1, "assessors": {"1": people}}
    recorder.record("growing_plan", lambda: create_plan(**laid))
