"""The way back to the provider at the end of a unit."""

from __future__ import annotations

from crowd.core.providers.base import ReturnForm
from crowd.core.providers.fake import RETURN_PATH
from crowd.core.providers.registry import PROVIDERS
from crowd.models import Study
from crowd.queries.keys import get_link_path, unseal_external
from judging.models import WorkUnit


def choose_outcome(unit: WorkUnit) -> str:
    """How the unit ended, in the provider's terms."""
    if unit.state == WorkUnit.State.COMPLETE:
        return "completed"
    return "screened" if unit.state == WorkUnit.State.SCREENED_OUT else "failed"


def find_unit_code(study: Study, unit: WorkUnit) -> str:
    """The provider's code with which the worker of a unit returns; empty if there is none."""
    provider = PROVIDERS[find_unit_provider(study, unit)]
    return provider.find_code(study.provider_settings, choose_outcome(unit))


def find_unit_provider(study: Study, unit: WorkUnit) -> str:
    """The name of the provider: the fake one for a trial."""
    return "fake" if unit.trial else study.provider


def make_unit_return(unit: WorkUnit) -> ReturnForm | None:
    """Where the worker of a unit that is over returns to; None if nowhere, or the key is gone.

    The address comes from the study's settings alone, never from a request.
    """
    study: Study = unit.plan.study
    external_id = unseal_external(study.campaign, unit.external_id)
    if not unit.is_over or not external_id:
        return None
    name = find_unit_provider(study, unit)
    settings = study.provider_settings
    if name == "fake":
        settings = {"platform_url": get_link_path(study) + RETURN_PATH}
    fields = {"unit": external_id, "receipt": unit.receipt}
    return PROVIDERS[name].make_return(settings, choose_outcome(unit), fields)
