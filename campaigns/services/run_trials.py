"""Check a run without submitting it: nothing is stored."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused, format_thousands
from campaigns.models import Campaign, CampaignTask, Run, Team, User
from campaigns.services.run_files import SentFile, is_large
from campaigns.services.run_limits import (
    check_can_submit,
    check_size,
    check_topics_known,
    choose_task,
    require_team,
)
from campaigns.services.runs import build_run_rules
from poolbench.runs.run_checks import CheckedRun, check_run_file


@dataclass(frozen=True)
class RunTrial:
    """What the check says of a file, and why it could not be submitted now, if that is so."""

    file_name: str
    result: CheckedRun
    refusal: ActionRefused | None


def try_run(
    *,
    actor: User,
    campaign: Campaign,
    team: Team,
    data: bytes | SentFile,
    file_name: str,
    tag: str = "",
    replaces: Run | None = None,
    task: CampaignTask | None = None,
) -> RunTrial:
    """The check that a submission would get, also after the deadline. Raises ``ActionRefused``."""
    require_team(actor, campaign, team)
    check_topics_known(campaign)
    sent_file = data if isinstance(data, SentFile) else SentFile(data)
    check_size(sent_file.size)
    if is_large(sent_file):
        limit = format_thousands(settings.POOLBENCH_CHECK_AT_ONCE_BYTES)
        message = _("Files of more than %(limit)s bytes are checked by a worker, once submitted.")
        fix = _("Check it at home with the command poolbench check-run, or submit it.")
        raise ActionRefused("too-large-to-try", message % {"limit": limit}, fix)
    task = choose_task(campaign, task, replaces)
    run = Run(campaign=campaign, team=team, task=task, tag=tag.strip()[:60], replaces=replaces)
    result = check_run_file(sent_file.read(), build_run_rules(run), file=file_name)
    return RunTrial(file_name, result, find_refusal(actor, run, sent_file.size))


def find_refusal(actor: User, run: Run, size: int) -> ActionRefused | None:
    """Why the run could not be submitted now."""
    try:
        check_can_submit(actor, run.campaign, run.team, size, run.replaces, run.task)
    except ActionRefused as refused:
        return refused
    return None
