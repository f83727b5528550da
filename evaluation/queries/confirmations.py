"""The confirmation before scores are released."""

from django.urls import reverse

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.errors import format_utc
from campaigns.models import Campaign, PublicPage, Run
from campaigns.queries.confirmations.data_files import PUBLISH
from campaigns.queries.confirmations.runs import (
    count_participants,
    has_participants,
    list_check_matters,
    list_done_submission,
    list_submission_matters,
)
from campaigns.queries.confirmations.settings import VISIBLE
from campaigns.queries.tasks import list_scored_runs
from evaluation.models import ScoreSet
from judging.models import Qrels
from judging.queries.confirmations import list_done_judging, list_judging_matters
from judging.queries.qrels_release import find_qrels_file
from poolbench.files.faults import format_count, list_names


def describe_release(score_set: ScoreSet) -> Confirmation:
    """Before participants see a score set."""
    campaign, qrels = score_set.campaign, score_set.qrels
    runs = list(Run.objects.filter(scores__score_set=score_set).select_related("team"))
    matters = list_submission_matters(
        campaign,
        "Release",
        "A team that knows its scores can still submit or withdraw runs.",
        score_set.task,
    )
    matters += list_check_matters(campaign, "Release")
    matters += list_judging_matters(campaign, "Release")
    matters += list_score_set_matters(score_set, runs)
    people = count_participants(campaign)
    teams = people.partition(",")[0]
    of_task = f" of {score_set.task}" if score_set.task else ""
    consents = (ConfirmationChoice("seen-by-teams", f"{people} will see scores"),)
    return Confirmation(
        question="Release the scores to the teams?",
        summary=f"{str(score_set).capitalize()}{of_task}: {describe_runs(runs)} under qrels"
        f" {qrels.version}, {format_count(len(score_set.topics), 'topic')}, evaluated"
        f" {format_utc(score_set.created_at)}.",
        before="Before you release",
        open=tuple(matters),
        done=tuple(list_done_matters(score_set, runs)),
        consequences=tuple(list_consequences(score_set, runs, people)),
        consents=consents if has_participants(campaign) else (),
        button=f"Release to {teams}",
        back=score_set.get_absolute_url(),
        note="A released score set stays released. Only a newer one replaces it on the pages of"
        " the teams.",
    )


def describe_runs(runs: list[Run]) -> str:
    teams = len({run.team_id for run in runs})
    return f"{format_count(len(runs), 'run')} of {format_count(teams, 'team')}"


def list_score_set_matters(score_set: ScoreSet, runs: list[Run]) -> list[OpenMatter]:
    """What has changed since the evaluation."""
    campaign, scored = score_set.campaign, {run.pk for run in runs}
    scores_url = reverse("scores", args=[campaign.slug])
    matters = []

    def add(code: str, text: str, label: str, detail: str = "") -> None:
        link = "Evaluate again"
        matters.append(
            OpenMatter(text, ConfirmationChoice(code, label), detail, url=scores_url, link=link)
        )

    runs_of_task = list_scored_runs(campaign, score_set.task)
    missing = [run.tag for run in runs_of_task if run.pk not in scored]
    if missing:
        text = f"{format_count(len(missing), 'run')} not in this score set: {list_names(missing)}."
        add("runs-missing", text, "Release without these runs")
    released = {run.pk for run in campaign.runs.released()}
    gone = [run for run in runs if run.state != Run.State.ACCEPTED and run.pk not in released]
    if gone:
        names = list_names([run.tag for run in gone])
        text = f"{format_count(len(gone), 'run')} withdrawn or replaced since: {names}."
        detail = (
            "Withdrawn runs then stay in later scores too, marked withdrawn; replaced runs stay"
            " in this score set only."
        )
        add("runs-withdrawn", text, "Release with these runs", detail)
    newest = campaign.qrels.first()
    if newest is not None and newest.version > score_set.qrels.version:
        text = f"Qrels {newest.version} are newer than qrels {score_set.qrels.version}."
        add("qrels-newer", text, f"Release under qrels {score_set.qrels.version}")
    sets = campaign.score_sets.filter(task=score_set.task)
    later = sets.filter(pk__gt=score_set.pk).order_by("-pk").first()
    if later is not None:
        text = f"{str(later).capitalize()} is newer, evaluated {format_utc(later.created_at)}."
        add("scores-newer", text, "Release the older score set")
    return matters


def list_done_matters(score_set: ScoreSet, runs: list[Run]) -> list[str]:
    campaign, scored = score_set.campaign, {run.pk for run in runs}
    done = list_done_submission(campaign) + list_done_judging(campaign)
    if all(run.pk in scored for run in list_scored_runs(campaign, score_set.task)):
        done.append("All accepted runs are in this score set.")
    done.append("Significance test, correction and level were fixed before the first scores.")
    return done


def list_consequences(score_set: ScoreSet, runs: list[Run], people: str) -> list[Consequence]:
    campaign = score_set.campaign
    teams = len({run.team_id for run in runs})
    counts = {"runs": format_count(len(runs), "run"), "teams": format_count(teams, "team")}
    visible = VISIBLE[Campaign.Board(campaign.board)].format(**counts)
    preview = f"{score_set.get_absolute_url()}?as=participant"
    sets = campaign.score_sets.filter(task=score_set.task)
    before = sets.filter(released_at__isnull=False).first()
    consequences = [
        Consequence(people, f"see {visible}", preview, "View as participant"),
        Consequence(f"Qrels {score_set.qrels.version}", describe_qrels_readers(score_set.qrels)),
        Consequence("Runs", "A run withdrawn from now on stays in this and in later score sets,"
                    " marked withdrawn. Released runs can no longer be replaced."),
        Consequence("Mail", "Teams get one 15 minutes later; until then you can cancel it.",
                    reverse("outbox", args=[campaign.slug]), "View outbox"),
        Consequence("For good", "Scores that a team has read cannot be undone. The log keeps"
                    " this page as you see it."),
    ]  # fmt: skip
    consequences.insert(2, Consequence("Everybody", "sees nothing of it until you publish it."))
    if before is not None:
        text = f"{str(before).capitalize()} is no longer shown to the teams."
        consequences.insert(1, Consequence("Replaces", text))
    return consequences


def describe_qrels_readers(qrels: Qrels) -> str:
    file = find_qrels_file(qrels)
    if file is None:
        return "stay with the organizers; releasing them is an act of its own."
    return f"are for {file.get_audience_display()}."


def describe_publication(score_set: ScoreSet) -> Confirmation:
    """Before everybody sees a released score set on the public page."""
    campaign = score_set.campaign
    runs = list(Run.objects.filter(scores__score_set=score_set).select_related("team"))
    teams = len({run.team_id for run in runs})
    counts = {"runs": format_count(len(runs), "run"), "teams": format_count(teams, "team")}
    board = Campaign.Board(campaign.board)
    visible = PUBLISHED[board].format(**counts)
    page = PublicPage.objects.filter(campaign=campaign, published_at__isnull=False)
    is_public = page.exists()
    before = campaign.score_publications.first()
    consequences = [
        Consequence("Everybody", f"sees {visible}"),
        Consequence(
            "Where",
            "on the public page, without an account."
            if is_public
            else "on the public page, once that is published: it is not yet.",
            reverse("public-campaign", args=[campaign.slug]),
            "View page",
        ),
        Consequence("Not shown", "Scores by topic, descriptions of runs, and who submitted them."),
        Consequence("For good", "What is published once is copied and indexed. A later change of"
                    " what participants see does not change this page."),
    ]  # fmt: skip
    if before is not None:
        consequences.append(Consequence("Replaces", f"{before.score_set} on the public page."))
    return Confirmation(
        question="Publish the scores?",
        summary=f"{str(score_set).capitalize()}: {describe_runs(runs)} under qrels"
        f" {score_set.qrels.version}, visible as: {board.label}.",
        before="Before you publish",
        done=("These scores are released to the teams.",),
        consequences=tuple(consequences),
        consents=(ConfirmationChoice(PUBLISH, f"Everybody may see {counts['runs']}"),),
        button="Publish scores",
        back=score_set.get_absolute_url(),
    )


PUBLISHED = {
    Campaign.Board.OWN: "best, median and worst of {runs}, and no single run.",
    Campaign.Board.PSEUDONYMS: "the scores of all {runs} under pseudonyms.",
    Campaign.Board.NAMES: "the scores of all {runs} of {teams}, with run tags and team names.",
}
"""What everybody sees by ``Campaign.board`` at the time of the publication."""
