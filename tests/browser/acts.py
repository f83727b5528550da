"""A campaign in which much is open, and the pages that ask before an act."""

from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from campaigns.models import Campaign, Role, Run, Team
from campaigns.services.campaigns import change_visibility
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.services.adjudication import list_pairs_to_adjudicate, open_round
from judging.services.imports import import_judgments
from judging.services.plans import create_plan
from judging.services.qrels import freeze_qrels
from poolbench.pooling.spec import depth_spec
from pooling.services.freeze import freeze_pool
from tests.world.files import accepted_run, ranked_run
from tests.world.people import joined


def prepare_acts(campaign: Campaign, team: Team, other_team: Team) -> dict[str, str]:
    """Runs, a pool, two assessors who disagree, a round, qrels, a released score set and a newer
    one; submission is open. The addresses of all pages that ask, by name.
    """
    organizer, slug = campaign.created_by, campaign.slug
    Campaign.objects.update(runs_deadline=timezone.now() + timedelta(days=9))
    campaign.refresh_from_db()
    joined(campaign, "participant", Role.PARTICIPANT, team)
    joined(campaign, "rival", Role.PARTICIPANT, other_team)
    campaign.teams.create(name="Without a run")
    people = [joined(campaign, name, Role.ASSESSOR) for name in ("ada", "ben")]
    runs = [
        ranked_run(one, tag, dict.fromkeys("12", order))
        for one, tag, order in (
            (team, "alpha-bm25", "d1 d2 d3"),
            (team, "alpha-dense", "d3 d4 d5"),
            (other_team, "beta", "d2 d5 d6"),
        )
    ]
    pool = freeze_pool(actor=organizer, campaign=campaign, spec=depth_spec(3), runs=runs)
    plan = create_plan(actor=organizer, pool=pool, overlap=2, assessors={"1": people, "2": people})
    for shift, person in enumerate(people):
        rows = [("1", f"d{n}", (n + shift) % 3) for n in range(1, 7)]
        import_judgments(actor=organizer, campaign=campaign, assessor=person, rows=rows)
    pairs = list_pairs_to_adjudicate(campaign, min_difference=1, crossing=False)
    adjudicator = joined(campaign, "cleo", Role.ADJUDICATOR)
    round_ = open_round(actor=organizer, campaign=campaign, pairs=pairs, adjudicators=[adjudicator])
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    scores = {"actor": organizer, "campaign": campaign, "qrels": qrels}
    release_scores(actor=organizer, score_set=score_campaign(**scores))
    change_visibility(actor=organizer, campaign=campaign, board="pseudonyms")
    late = accepted_run(team, "late", "1 Q0 d9 1 1 late\n")
    Run.objects.filter(pk=late.pk).update(state=Run.State.RECEIVED)
    newer = score_campaign(**scores)
    accepted_run(other_team, "beta-late", "1 Q0 d8 1 1 beta-late\n")
    members = {member.user.username: member.pk for member in campaign.members.all()}
    frozen = f"run={runs[0].pk}&depth=5&seconds=30&after=1"
    conflict = "username=participant&role=assessor"
    return {
        "release": reverse("score-release", args=[slug, newer.pk]),
        "freeze": f"{reverse('pool-freeze', args=[slug])}?{frozen}",
        "qrels": f"{reverse('qrels-freeze', args=[slug])}?policy=majority",
        "remove": reverse("member-remove", args=[slug, members["ada"]]),
        "second-role": f"{reverse('member-add', args=[slug])}?{conflict}",
        "visibility": f"{reverse('visibility-change', args=[slug])}?board=names",
        "visibility-choice": reverse("visibility-change", args=[slug]),
        "close-submissions": reverse("submissions-close", args=[slug]),
        "withdraw": reverse("run-withdraw", args=[slug, runs[0].pk]),
        "close-plan": reverse("plan-close", args=[slug, plan.pk]),
        "close-round": reverse("round-end", args=[slug, round_.pk]),
    }
