"""The answers that a campaign asks with each run."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from poolbench.files.faults import FaultReport
from poolbench.runs.ir_metadata import read_ir_metadata, read_run_head
from poolbench.runs.run_form import RunAnswers, check_answers


class AnswersRefused(ActionRefused):
    """Answers to the run form are missing or invalid; ``faults`` has each by its field."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        self.faults = dict(faults)
        listed = " ".join(f"{name}: {fault}" for name, fault in self.faults.items())
        message = _("The run form is not complete: %(faults)s") % {"faults": listed}
        fix = _("Answer in the form, or in the ir_metadata block of the file.")
        super().__init__("run-form", message, fix)

    @property
    def details(self) -> dict[str, Any]:
        return {"fields": self.faults}


def read_answers(campaign: Campaign, data: bytes, entries: Mapping[str, object]) -> RunAnswers:
    """The answers in ``entries`` and, where it has none, in the ``ir_metadata`` block of the run
    ``data``. A faulty block has none; the check of the run says what is wrong with it.
    """
    fields = campaign.run_form
    needed = any(not entries.get(field.name) for field in fields)
    block = read_ir_metadata(read_run_head(data), FaultReport()) if needed else {}
    return check_answers(fields, entries, block)


def require_answers(
    campaign: Campaign, data: bytes, entries: Mapping[str, object]
) -> dict[str, str | bool]:
    """``read_answers`` without faults. Raises ``AnswersRefused`` with all of them."""
    read = read_answers(campaign, data, entries)
    if read.faults:
        raise AnswersRefused(read.faults)
    return dict(read.answers)
