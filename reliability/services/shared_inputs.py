"""What the shares of one report are computed from, the same for all while people go on working.

``args`` of a share name the runs and the last row of the log; what else may change, such as the
scale or an exclusion, changes the digest, and such results are not put together.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run
from campaigns.queries.tasks import list_current_runs
from campaigns.services.job_parts import ShareResult
from evaluation.queries.scoring_inputs import scoring_options
from judging.models import Qrels
from poolbench.runs.tables import QrelsTable
from reliability.queries.collection import load_qrels_or_interim


@dataclass(frozen=True)
class SharedInputs:
    """Judgments and runs of a share."""

    table: QrelsTable
    runs: Sequence[Run]
    digest: str

    def check_same(self, results: Sequence[ShareResult]) -> None:
        """Refuse results that were computed from anything else."""
        if any(result.head["inputs"] != self.digest for result in results):
            raise ActionRefused(
                "campaign-changed",
                "Runs, judgments or settings were changed during the work.",
                "Ask for the report again.",
            )


def name_inputs(campaign: Campaign, qrels: Qrels | None) -> dict[str, Any]:
    """For ``args``: the runs of now, and without ``qrels`` the last row of the log."""
    last = None if qrels else campaign.judgments.order_by("-pk").values_list("pk", flat=True)
    runs = list_current_runs(campaign).values_list("pk", flat=True)
    return {"runs": list(runs), "last": last and last.first()}


def load_shared_inputs(
    campaign: Campaign, qrels: Qrels | None, args: Mapping[str, Any]
) -> SharedInputs:
    table = load_qrels_or_interim(campaign, qrels, args["last"])
    runs = list(list_current_runs(campaign).filter(pk__in=args["runs"]))
    pool = campaign.pools.first()
    state = [
        [(run.pk, run.matrix) for run in runs],
        table.topics,
        scoring_options(campaign).as_dict(),
        None if pool is None else pool.pk,
    ]
    digest = hashlib.sha256(json.dumps(state).encode())
    for part in (table.starts.tobytes(), table.docnos.joined(), table.grades.tobytes()):
        digest.update(part)
    return SharedInputs(table, runs, digest.hexdigest())


@contextmanager
def refuse_value_errors(prefix: str, fix: str) -> Iterator[None]:
    """A ``ValueError`` of the library refuses the work, in its words."""
    try:
        yield
    except ValueError as error:
        raise ActionRefused("no-report", f"{prefix}: {error}.", fix) from error
