"""The page from which a campaign is taken away as files."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.lifecycle.registry import LifeCycle, Status, Tab, Task
from campaigns.models import Role
from evaluation.lifecycle import has_released


def archive_steps(status: Status) -> list[Task]:
    text = _("Scores released. Keep the campaign as one file, for years and for others")
    return [Task(has_released(status), text, "archive", _("Make archive"))]


LIFE_CYCLE = LifeCycle(
    steps={Role.ORGANIZER: archive_steps},
    tabs=(
        Tab(
            "results",
            90,
            gettext_lazy("Archive"),
            "archive",
            ("results/archive",),
            (Role.ORGANIZER,),
        ),
    ),
)
