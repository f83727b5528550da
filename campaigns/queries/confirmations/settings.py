"""The confirmation before topics or documents are deleted, and before participants see more."""

from django.urls import reverse

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence
from campaigns.models import Campaign, Run
from campaigns.queries.collection_files import count_collection_documents, find_collection
from campaigns.queries.confirmations.runs import count_participants, has_participants
from poolbench.files.faults import format_count

VISIBLE = {
    Campaign.Board.OWN: "their own scores with best, median and worst. No team sees another.",
    Campaign.Board.PSEUDONYMS: "the scores of all {runs}; those of other teams under pseudonyms.",
    Campaign.Board.NAMES: "the scores of all {runs} of {teams}, with run tags and team names.",
}
"""What participants see by ``Campaign.board``."""


def describe_deletion(campaign: Campaign, noun: str) -> Confirmation:
    """Before all topics or documents are deleted: ``noun`` is the plural."""
    count = count_collection_documents(campaign) if noun == "documents" else campaign.topics.count()
    registered = noun == "documents" and find_collection(campaign) is not None
    again = "Register the files again" if registered else "Import the file again"
    title = format_count(count, noun[:-1])
    return Confirmation(
        question=f"Delete all {count:,} {noun}?",
        summary=campaign.title,
        before="Before you delete",
        done=("No run, pool or judgment refers to them.",),
        consequences=(
            Consequence("For good", f"{title} are removed from the database. {again} to restore"
                        " them."),
            Consequence("Members", f"no longer find {noun} on their pages."),
        ),
        consents=(ConfirmationChoice("deletes-all", f"Delete all {noun} of this campaign"),),
        button=f"Delete {title}",
        back=reverse(noun, args=[campaign.slug]),
    )  # fmt: skip


def released_runs(campaign: Campaign) -> list[Run]:
    """The runs of the score set that participants see."""
    # Score sets belong to an upper app; only the reverse relation is known here.
    released = campaign.score_sets.filter(released_at__isnull=False)
    newest = released.order_by("-released_at", "-pk").first()
    if newest is None:
        return []
    return list(Run.objects.filter(scores__score_set=newest).select_related("team"))


def describe_visibility(campaign: Campaign, board: str) -> Confirmation:
    """Before participants see more or less of released scores."""
    before, after = Campaign.Board(campaign.board), Campaign.Board(board)
    runs = released_runs(campaign)
    teams = {run.team_id for run in runs}
    counts = {"runs": format_count(len(runs), "run"), "teams": format_count(len(teams), "team")}
    people = count_participants(campaign)
    withdrawn = sum(run.state == Run.State.WITHDRAWN for run in runs)
    order = list(VISIBLE)
    consequences = [
        Consequence(people, f"now see {VISIBLE[before].format(**counts)}"),
        Consequence("From now on", f"they see {VISIBLE[after].format(**counts)}"),
    ]
    if order.index(after) < order.index(before):
        text = "What the teams have read or downloaded so far stays known to them."
    else:
        text = "What the teams have read once cannot be undone."
    consequences.append(Consequence("For good", text))
    if withdrawn and after == Campaign.Board.NAMES:
        text = f"{format_count(withdrawn, 'run')} stay visible, marked withdrawn."
        consequences.append(Consequence("Withdrawn runs", text))
    consequences.append(
        Consequence("Notice", "Every team sees on its pages what was changed, and when.")
    )
    consents = (ConfirmationChoice("seen-by-teams", f"{people} are affected"),)
    return Confirmation(
        question="Change what participants see?",
        summary=f"From “{before.label}” to “{after.label}”.",
        before="Before you change it",
        consequences=tuple(consequences),
        consents=consents if has_participants(campaign) else (),
        button=f"Change for {people}",
        back=reverse("campaign-settings", args=[campaign.slug]),
    )
