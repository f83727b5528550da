"""Interim scores: the ranking of runs if judging stopped now."""

from dataclasses import dataclass
from hashlib import sha256

from django.http import HttpResponse

from campaigns.models import Campaign, Run
from campaigns.queries.lists import get_campaign_for
from campaigns.queries.tasks import list_current_runs
from campaigns.services.snapshots import get_report
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.models import ScoreSet
from evaluation.queries.interim_scores import (
    InterimScores,
    compute_interim_scores,
    rank_interim_runs,
)
from evaluation.queries.propagation_effect import compare_without_propagated
from evaluation.queries.score_moves import compare_means, list_sets_to_compare, load_means
from evaluation.queries.scoring_inputs import scoring_options
from evaluation.views.cells import DEFAULT_MEASURES, TRUST, ScoreColumn, build_column
from judging.models import Qrels
from judging.queries.judgments import has_propagated_grades, load_log_reader
from judging.queries.qrels_versions import list_crowd_rules
from judging.rules import choose_policy
from poolbench.cards import Card
from poolbench.evaluation.comparison.moves import RunMove
from poolbench.files.natural_sort import sort_items_naturally
from poolbench.judging.policies import DEFAULT_POLICY, NOT_PROPAGATED, POLICIES, get_policy
from poolbench.number_formats import format_score
from poolbench.shared_reads import share_reads
from pooling.queries.frozen_pools import is_drawn_by_influence


@dataclass(frozen=True)
class InterimScoreRow:
    """One run: its place now, and how it moved since the latest score set."""

    run: Run
    place: int | None
    move: RunMove
    means: tuple[str, ...]


@share_reads
def interim_scores_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The page, or for a page that asks again its ranking: an empty answer, which changes nothing,
    while there are no other judgments, runs or settings than those that it has ``seen``.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    state = identify_ranking(campaign)
    is_part = bool(request.headers.get("HX-Request"))
    if is_part and request.GET.get("seen") == state:
        return HttpResponse(status=204)
    scores, policy, policies = compute_requested_scores(request, campaign)
    ranking = build_interim_ranking(request, campaign, scores, policy)
    if is_part:
        return render_page(request, "evaluation/interim_ranking.html", ranking, {"state": state})
    pool = campaign.pools.first()
    page = {
        "state": state,
        "is_sampled": pool is not None and is_drawn_by_influence(pool),
        "task": scores.runs[0].task if scores.runs else None,
        "policies": policies,
        "policy": policy,
        # Of an upper app: whether judging can stop is what an interim ranking is read for.
        "current": get_report(campaign, "stopping"),
    }
    return render_page(request, "evaluation/interim_scores.html", ranking, page)


def identify_ranking(campaign: Campaign) -> str:
    """Changes with every judgment and exclusion, the runs and how they are scored."""
    runs = list_current_runs(campaign).order_by("pk").values_list("pk", "matrix")
    inputs = load_log_reader(campaign).identify(), list(runs), scoring_options(campaign).as_dict()
    return sha256(repr(inputs).encode()).hexdigest()[:16]


def build_interim_ranking(
    request: SignedInRequest, campaign: Campaign, scores: InterimScores, policy: str
) -> dict[str, object]:
    """The part of the page that changes with the judgments."""
    names = [measure.name for measure in scores.measures]
    visible = [name for name in (*campaign.measures, *DEFAULT_MEASURES, TRUST) if name in names]
    visible = sorted(dict.fromkeys(visible), key=lambda name: name == TRUST) or names[:1]
    by = request.GET.get("by", "")
    by = by if by in names else visible[0]
    qrels = find_requested_qrels(request, campaign)
    compared = next(iter(list_sets_to_compare(campaign, by)), None)
    columns = [build_column(scores.measures[names.index(name)]) for name in visible]
    query = request.GET.copy()
    query.pop("seen", None)
    # ``topics`` are the counts of each topic by its number; ``compared``: the latest score
    # set.
    return {
        "campaign": campaign,
        "scores": scores,
        "columns": columns,
        "visible": visible,
        "by": by,
        "rows": interim_score_rows(scores, names, columns, by, compared),
        "compared": compared,
        "qrels": qrels,
        "propagation": compare_without_propagated(
            request.user,
            campaign,
            policy,
            scores,
            [name for name in visible if name != TRUST],
            find_last_row(qrels),
        ),
        "topics": sort_items_naturally(scores.topics),
        "ms": round(scores.seconds * 1000),
        "asked": query.urlencode(),
    }


def compute_requested_scores(
    request: SignedInRequest, campaign: Campaign
) -> tuple[InterimScores, str, list[Card]]:
    """The interim scores under the requested policy, its name, and the policies to choose from."""
    policies = list_interim_policies(campaign)
    names = [card.name for card in policies]
    qrels = find_requested_qrels(request, campaign)
    own = DEFAULT_POLICY if qrels is None or qrels.policy not in names else qrels.policy
    policy, last = choose_policy(request.GET.get("policy", ""), names, own), find_last_row(qrels)
    scores = compute_interim_scores(actor=request.user, campaign=campaign, policy=policy, last=last)
    return scores, policy, policies


def find_requested_qrels(request: SignedInRequest, campaign: Campaign) -> Qrels | None:
    """The version ``?qrels=`` with whose judgments runs are ranked, instead of those of now."""
    version = request.GET.get("qrels", "")
    is_number = version.isascii() and version.isdecimal()
    return campaign.qrels.filter(version=version).first() if is_number else None


def find_last_row(qrels: Qrels | None) -> int | None:
    last: int | None = None if qrels is None else qrels.manifest["last_judgment"]
    return last


def list_interim_policies(campaign: Campaign) -> list[Card]:
    """Those that decide pair by pair, and the models of all pairs that are quick enough."""
    models = [rule.card for rule in list_crowd_rules(campaign) if not rule.model.slow]
    cards = [policy.card for policy in POLICIES.values()]
    if has_propagated_grades(campaign):
        cards += [get_policy(card.name + NOT_PROPAGATED).card for card in cards]
    return [*cards, *models]


def interim_score_rows(
    scores: InterimScores,
    names: list[str],
    columns: list[ScoreColumn],
    by: str,
    compared: ScoreSet | None,
) -> list[InterimScoreRow]:
    """Best first; runs without a value last."""
    ranked = rank_interim_runs(scores, by)
    now = {run.pk: dict(zip(names, means, strict=True)) for run, means in ranked}
    before = load_means(compared) if compared else {}
    places = {move.run: move.second for move in compare_means(now, now, by).runs}
    moves = {move.run: move for move in compare_means(before, now, by).runs}
    cells = [(names.index(column.name), column.whole) for column in columns]
    rows = []
    for run, means in ranked:
        texts = tuple(format_score(means[at], whole) for at, whole in cells)
        rows.append(InterimScoreRow(run, places[run.pk], moves[run.pk], texts))
    return rows
