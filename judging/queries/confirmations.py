"""The confirmation before qrels are frozen, and before a judging plan or a round is closed."""

from django.urls import reverse

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.models import Campaign
from judging.models import Plan, Purpose, Slot
from judging.queries.slots import cancelable_slots, free_slots, waiting_slots
from judging.queries.tallies import judging_progress
from poolbench.files.faults import format_count

State = Slot.State


def list_judging_matters(campaign: Campaign, although: str) -> list[OpenMatter]:
    """What assessors and adjudicators still have to do. Counts that change while people work
    are details: they do not outdate the page.
    """
    tally = judging_progress(campaign)
    waiting = tally.open + tally.leased
    judging_url = reverse("judging", args=[campaign.slug])
    matters = []
    if tally.left:
        missing = f"{format_count(waiting, 'judgment')} missing."
        matters.append(
            OpenMatter(
                text="Judging is not complete.",
                detail=missing if waiting else "The adaptive pool can still grow.",
                override=ConfirmationChoice(
                    "judging-open", f"{although} although judging is not complete"
                ),
                url=judging_url,
                link="View progress",
            )
        )
    if count := tally.unresolved:
        matters.append(
            OpenMatter(
                text=f"{format_count(count, 'skip')} unresolved.",
                override=ConfirmationChoice(
                    "documents-skipped", f"{although} without these documents"
                ),
                url=judging_url,
                link="View progress",
            )
        )
    slots = Slot.objects.filter(plan__campaign=campaign)
    if count := slots.filter(waiting_slots(), purpose=Purpose.ADJUDICATE).count():
        matters.append(
            OpenMatter(
                text=f"{format_count(count, 'adjudication')} open.",
                detail="Until they are decided, the policy applies to the assessors' grades.",
                override=ConfirmationChoice(
                    "adjudications-open",
                    f"{although} although {format_count(count, 'adjudication')} open",
                ),
                url=reverse("adjudication", args=[campaign.slug]),
                link="Adjudicate",
            )
        )
    return matters


def list_done_judging(campaign: Campaign) -> list[str]:
    """What is complete of judging and adjudication."""
    rounds = Slot.objects.filter(plan__campaign=campaign, purpose=Purpose.ADJUDICATE)
    is_done = rounds.exists() and not rounds.filter(waiting_slots()).exists()
    return ["Every adjudication of a round is decided."] if is_done else []


def describe_qrels_freezing(
    campaign: Campaign, *, version: int, policy: str, pairs: int, disagreeing: int, moment: str
) -> Confirmation:
    """Before a qrels version is frozen with ``pairs`` grades of judgments up to ``moment``."""
    text = f"{format_count(pairs, 'pair')} with one grade each, by policy {policy}"
    consequences = [
        Consequence("For good", f"Qrels {version} never change. Later judgments need a new"
                    " version."),
        Consequence("Disagreements", f"{format_count(disagreeing, 'pair')} with different grades"
                    " get the grade of the policy."),
        Consequence("Participants", "see nothing of it until you release or publish the version."),
        Consequence("Later judgments", f"Judgments after {moment} are not in this version."),
    ]  # fmt: skip
    return Confirmation(
        question=f"Freeze qrels {version}?",
        summary=f"{text}, judgments up to {moment}.",
        before="Before you freeze",
        open=tuple(list_judging_matters(campaign, "Freeze")),
        done=tuple(list_done_judging(campaign)),
        consequences=tuple(consequences),
        button=f"Freeze {format_count(pairs, 'pair')}",
        back=reverse("qrels-list", args=[campaign.slug]),
    )


def list_checked_out_matters(plan: Plan) -> list[OpenMatter]:
    """The documents of a plan that are on assessors' screens."""
    leased = plan.slots.filter(purpose=Purpose.JUDGE, state=State.LEASED)
    count = leased.exclude(free_slots()).count()
    if not count:
        return []
    text = f"{format_count(count, 'document is', 'documents are')} checked out."
    return [
        OpenMatter(
            text=text,
            detail="It can still be judged; the plan then waits for nothing more.",
            override=ConfirmationChoice(
                "documents-out", "Close although documents are checked out"
            ),
            url=reverse("judging", args=[plan.campaign.slug]),
            link="View progress",
        )
    ]


def describe_plan_closing(plan: Plan) -> Confirmation:
    """Before no further judgments are requested under a plan; of a closed one, before the leases
    that have expired since are canceled.
    """
    slots = plan.slots.filter(purpose=Purpose.JUDGE)
    waiting = slots.filter(cancelable_slots()).count()
    judged = slots.filter(state=State.JUDGED).count()
    people = plan.assignments.order_by().values("assessor").distinct().count()
    stays = f"{format_count(judged, 'judgment stays and counts', 'judgments stay and count')}."
    if plan.is_closed:
        return describe_lease_canceling(plan, waiting, Consequence("Judgments", stays))
    canceled = (
        "1 judgment not yet started is canceled. Another plan can request it."
        if waiting == 1
        else f"{waiting:,} judgments not yet started are canceled. Another plan can request them."
    )
    affected = format_count(people, "assessor")
    consents = (ConfirmationChoice("work-ends", f"{affected} get no more documents"),)
    return Confirmation(
        question="Close this judging plan?",
        summary=f"Pool {plan.pool.version}.",
        before="Before you close",
        open=tuple(list_checked_out_matters(plan)),
        consequences=(
            Consequence("For good", canceled),
            Consequence("Judgments", stays),
            Consequence(affected, "get no more documents from this plan."),
        ),
        consents=consents if people and slots.filter(free_slots()).exists() else (),
        button="Close plan",
        back=reverse("judging", args=[plan.campaign.slug]),
        note="To stop work for a while, pause the plan instead.",
    )


def describe_lease_canceling(plan: Plan, expired: int, stays: Consequence) -> Confirmation:
    """Before the ``expired`` leases of a closed plan are canceled."""
    canceled = (
        "1 judgment with an expired lease is canceled. Another plan can request it."
        if expired == 1
        else f"{expired:,} judgments with expired leases are canceled."
        " Another plan can request them."
    )
    return Confirmation(
        question="Cancel the expired leases of this closed plan?",
        summary=f"Pool {plan.pool.version}.",
        before="Before you cancel",
        consequences=(Consequence("For good", canceled), stays),
        button="Cancel expired leases",
        back=reverse("judging", args=[plan.campaign.slug]),
    )


def describe_round_closing(plan: Plan) -> Confirmation:
    """Before an adjudication round ends."""
    waiting = plan.slots.filter(free_slots()).count()
    decided = plan.slots.filter(state=State.JUDGED).count()
    matters = []
    if waiting:
        text = f"{format_count(waiting, 'pair is', 'pairs are')} not decided."
        matters.append(
            OpenMatter(
                text=text,
                detail="They become unassigned; a new round can contain them.",
                override=ConfirmationChoice("pairs-undecided", "Close without these decisions"),
                url=reverse("adjudication", args=[plan.campaign.slug]),
                link="View rounds",
            )
        )
    stays = f"{format_count(decided, 'decision stays and counts', 'decisions stay and count')}."
    return Confirmation(
        question="Close this adjudication round?",
        summary=plan.campaign.title,
        before="Before you close",
        open=tuple(matters),
        consequences=(
            Consequence("For good", "A closed round cannot be opened again."),
            Consequence("Decisions", stays),
            Consequence("Adjudicators", "get no more pairs from this round."),
        ),
        button="Close round",
        back=reverse("adjudication", args=[plan.campaign.slug]),
    )
