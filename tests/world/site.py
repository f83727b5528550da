"""A small campaign with users of all roles and scores, and a second campaign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from campaigns.models import Campaign, DataFile, Invitation, Job, Role, Run, Team, TeamRequest, User
from campaigns.services import jobs
from campaigns.services.campaigns import update_campaign
from campaigns.services.data_files import add_data_file, release_data_file
from campaigns.services.people import create_invitation, get_or_create_team, sign_invitation_token
from campaigns.services.public_page import publish_page
from campaigns.services.runs import latest_check_job, submit_run
from campaigns.services.teams import TeamEntry, accept_terms, request_team
from crowd.models import Study
from evaluation.models import RunScores, ScoreSet
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.models import AutomaticAssessor, Plan, Qrels, Slot
from judging.services.automatic import create_automatic_assessor
from judging.services.imports import import_judgments
from judging.services.judgments import claim_next
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels
from judging.services.stopping import set_stopping_rule
from poolbench.judging.stopping import StoppingCriteria
from poolbench.pooling.spec import depth_spec
from pooling.models import Pool
from pooling.services.freeze import freeze_pool
from preferences.models import ComparisonPlan
from preferences.services.comparison_plans import ComparisonOptions, create_comparison_plan
from reliability.services.reusability import request_reusability_report
from reliability.services.simulation import SimulationRequest, request_simulation
from replay.archive.jobs import RUNS, request_campaign_file
from tests.world.crowd import build_crowd_study
from tests.world.people import begin, joined, user

ROLES = (
    "anonymous", "stranger", "viewer", "owner", "rival", "assessor", "organizer", "foreigner",
)  # fmt: skip
"""Owner and rival are participants; runs, jobs and scores are those of the owner's team.
The foreigner organizes the other campaign."""


@dataclass
class World:
    """``campaign`` has released scores; so has ``elsewhere``, the campaign of the foreigner, whose
    page is public. ``data_file``, notes.txt, is for teams; open.txt is for everybody.
    """

    campaign: Campaign
    people: dict[str, User | None]
    run: Run
    refused: Run
    pool: Pool
    plan: Plan
    slot: Slot
    qrels: Qrels
    score_set: ScoreSet
    draft: ScoreSet
    invitation: Invitation
    job: Job
    report: Job
    simulation: Job
    automatic: AutomaticAssessor
    study: Study
    archive: Job
    comparisons: ComparisonPlan
    data_file: DataFile
    team_request: TeamRequest
    elsewhere: World | None = None

    @property
    def scores(self) -> RunScores:
        return self.score_set.runs.get(run=self.run)

    def slug(self) -> dict[str, Any]:
        return {"slug": self.campaign.slug}


def build_site() -> World:
    """Two campaigns with released scores, and users of eight kinds."""
    everybody: dict[str, User | None] = {"anonymous": None, "stranger": user("stranger")}
    foreigner = user("foreigner", can_create_campaigns=True)
    organizer = user("organizer", can_create_campaigns=True)
    world = play(organizer, "small", everybody)
    world.elsewhere = play(foreigner, "elsewhere", {})
    publish_page(actor=foreigner, campaign=world.elsewhere.campaign)
    world.people["foreigner"] = foreigner
    return world


def play(organizer: User, slug: str, others: dict[str, User | None]) -> World:
    campaign = begin(organizer, slug.title(), slug)
    team, rivals = (
        get_or_create_team(actor=organizer, campaign=campaign, name=n) for n in ("A", "B")
    )
    people = others | {
        "viewer": enrol(campaign, "viewer", Role.VIEWER),
        "owner": enrol(campaign, "owner", Role.PARTICIPANT, team),
        "rival": enrol(campaign, "rival", Role.PARTICIPANT, rivals),
        "assessor": enrol(campaign, "assessor", Role.ASSESSOR),
        "organizer": organizer,
    }
    update_campaign(actor=organizer, campaign=campaign, registration="approval", terms="Be *kind*.")
    for each in ("owner", "rival"):
        accept_terms(actor=people[each], campaign=campaign, version=1)
    run = submit(people["owner"], team, f"{slug}-a", {"1": "d1 d2 d3", "2": "d4 d5"})
    refused = submit(people["owner"], team, f"{slug}-bad", {"99": "d1"})
    submit(people["rival"], rivals, f"{slug}-b", {"1": "d2 d6", "2": "d5 d7"})
    pool = freeze_pool(
        actor=organizer, campaign=campaign, spec=depth_spec(2), runs=campaign.runs.accepted()
    )
    judge = people["assessor"]
    plan = create_plan(
        actor=organizer, pool=pool, overlap=1, assessors={"1": [judge], "2": [judge]}
    )
    rows = [("1", "d1", 2), ("1", "d2", 0), ("1", "d6", 1)]
    import_judgments(actor=organizer, campaign=campaign, assessor=judge, rows=rows)
    slot = claim_next(actor=judge, campaign=campaign, topic=campaign.topics.get(number="2"))
    set_stopping_rule(actor=organizer, campaign=campaign, rule=StoppingCriteria(no_relevant_in=100))
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    score_set = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    return World(
        campaign=campaign,
        people=people,
        run=run,
        refused=refused,
        pool=pool,
        plan=plan,
        slot=slot,
        qrels=qrels,
        score_set=release_scores(actor=organizer, score_set=score_set),
        draft=score_campaign(actor=organizer, campaign=campaign, qrels=qrels),
        team_request=request_team(
            actor=user(f"newcomer-{slug}"),
            campaign=campaign,
            entry=TeamEntry("Newcomers", "A university", "Their contact"),
            terms_version=1,
        ),
        invitation=create_invitation(actor=organizer, campaign=campaign, role=Role.ASSESSOR),
        job=latest_check_job(run),
        report=jobs.run_here(
            request_reusability_report(actor=organizer, campaign=campaign, qrels=qrels)
        ),
        simulation=simulated(organizer, campaign, qrels),
        automatic=create_automatic_assessor(actor=organizer, campaign=campaign, name="model"),
        study=build_crowd_study(campaign, pool),
        archive=jobs.run_here(request_campaign_file(actor=organizer, campaign=campaign, kind=RUNS)),
        comparisons=create_comparison_plan(
            actor=organizer,
            campaign=campaign,
            options=ComparisonOptions("documents", "Side by side", pool=pool),
        ),
        data_file=[offer(organizer, campaign, each) for each in ("everybody", "teams")][-1],
    )


def offer(organizer: User, campaign: Campaign, audience: str) -> DataFile:
    """A data file for the audience."""
    name = {"everybody": "open.txt", "teams": "notes.txt"}[audience]
    text = f"A file for {audience}.".encode()
    added = add_data_file(actor=organizer, campaign=campaign, name=name, data=text, title="Notes")
    return release_data_file(actor=organizer, file=added.file, audience=audience)


def simulated(organizer: User, campaign: Campaign, qrels: Qrels) -> Job:
    wanted = SimulationRequest({"depth 1": depth_spec(1)}, qrels, seeds=1)
    return jobs.run_here(request_simulation(actor=organizer, campaign=campaign, request=wanted))


def enrol(campaign: Campaign, name: str, role: str, team: Team | None = None) -> User:
    return joined(
        campaign, name if campaign.slug == "small" else f"{name}-{campaign.slug}", role, team
    )


def submit(who: User | None, team: Team, tag: str, ranked: dict[str, str]) -> Run:
    """A run that was submitted and checked."""
    lines = [
        f"{topic} Q0 {docno} {rank} {100 - rank} {tag}\n"
        for topic, docnos in ranked.items()
        for rank, docno in enumerate(docnos.split(), 1)
    ]
    run = submit_run(
        actor=who,
        campaign=team.campaign,
        team=team,
        data="".join(lines).encode(),
        file_name=f"{tag}.txt",
    )
    jobs.run_here(latest_check_job(run))
    run.refresh_from_db()
    return run


def token(world: World) -> str:
    return sign_invitation_token(world.invitation)
