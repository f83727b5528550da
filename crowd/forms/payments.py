"""Forms of the payment sheet: a bonus, and the provider's list."""

from uuid import uuid4

from django import forms

from crowd.services.payment_batches import MOST_REWARD
from crowd.services.payments import LONGEST_REASON, MOST_BONUS
from poolbench.crowd.provider_lists import MOST_BYTES

ANSWERS = (("page", "Page"), ("csv", "CSV"), ("json", "JSON"), ("md", "Markdown"))


class BonusForm(forms.Form):
    """``client_uuid`` makes a second click grant nothing."""

    amount = forms.DecimalField(
        min_value=0, max_value=MOST_BONUS, max_digits=8, decimal_places=2, label="Bonus"
    )
    reason = forms.CharField(max_length=LONGEST_REASON, help_text="For the payment sheet.")
    client_uuid = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)


class DisputeForm(forms.Form):
    reason = forms.CharField(max_length=LONGEST_REASON, help_text="For the payment sheet.")


class RewardForm(forms.Form):
    """What approving a unit at the provider pays, for a batch."""

    reward = forms.DecimalField(
        min_value=0, max_value=MOST_REWARD, max_digits=8, decimal_places=2,
        label="The provider pays for an approved unit",
        help_text="Units owed more get the rest as a bonus; those owed less are paid in part.",
    )  # fmt: skip


class ReconcileForm(forms.Form):
    """The provider's list, and the shape of the answer."""

    submissions = forms.FileField(
        label="List of submissions",
        help_text="CSV with a header: id, worker, status; amount, bonus and code where the "
        f"provider gives them. At most {MOST_BYTES // 1_000_000} MB.",
    )
    settle = forms.BooleanField(
        required=False,
        label="Mark as paid what the list proves",
        help_text="Units in a batch that are paid as owed, with their bonuses.",
    )
    answer = forms.ChoiceField(choices=ANSWERS, initial="page", label="Answer as")
