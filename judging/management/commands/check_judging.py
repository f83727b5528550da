"""Check the judging invariants of a campaign; exit with 1 on a violation."""

from campaigns.models import Campaign
from judging.management.invariant_command import InvariantCommand
from judging.models import Judgment, Slot
from judging.queries.invariants import INVARIANTS


class Command(InvariantCommand):
    help = "Check the judging invariants of a campaign and count violations."
    invariants = INVARIANTS

    def count_rows(self, campaign: Campaign) -> dict[str, int]:
        slots = Slot.objects.filter(plan__campaign=campaign).count()
        return {"slots": slots, "judgments": Judgment.objects.filter(campaign=campaign).count()}
