"""Check the invariants of a campaign's comparisons; exit with 1 on a violation."""

from campaigns.models import Campaign
from judging.management.invariant_command import InvariantCommand
from preferences.models import Preference
from preferences.queries.invariants import COMPARISON_INVARIANTS, comparison_slots


class Command(InvariantCommand):
    help = "Check the invariants of a campaign's comparisons and count violations."
    invariants = COMPARISON_INVARIANTS

    def count_rows(self, campaign: Campaign) -> dict[str, int]:
        answers = Preference.objects.filter(campaign=campaign).count()
        return {"slots": comparison_slots(campaign).count(), "answers": answers}
