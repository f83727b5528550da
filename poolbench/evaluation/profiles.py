"""Compatibility profiles: rules in which evaluation programs differ. The name of the profile is
part of the provenance."""

from dataclasses import dataclass
from typing import Literal

RecallPoints = Literal["exact", "plus 0.9", "rounded"]


@dataclass(frozen=True)
class Profile:
    """The rules of one program.

    ``single_precision``: scores are compared as 32-bit numbers. ``recall_points``: the number of
    relevant documents for a recall level r of R: the smallest that reaches it (exact), floor(r·R
    + 0.9), or r·R rounded half up. ``complete``: by default, means are over all judged topics.
    ``zero_for_none``: the utility of a topic that the run does not answer is 0, regardless of
    the formula. ``prints_unanswered``: such topics are printed. ``counts_grade_1``: over all
    judged topics ``num_rel all`` counts grades of 1 or more at any level. ``measures``: the set
    computed if no measure is requested. ``names_runs``: the line ``runid`` is always printed,
    not only with ``num_q``. ``parameters_replace``: a measure given by name replaces that
    measure in a set (``-m all_trec -m P.5``).
    """

    name: str
    meaning: str
    single_precision: bool = False
    recall_points: RecallPoints = "exact"
    complete: bool = True
    zero_for_none: bool = False
    prints_unanswered: bool = True
    counts_grade_1: bool = False
    measures: str = "default"
    names_runs: bool = True
    parameters_replace: bool = False


POOLBENCH = Profile(
    "poolbench-1", "64-bit scores, exact recall levels, means over all judged topics."
)
TREC_EVAL_9 = Profile(
    "trec_eval-9",
    "The output of trec_eval 9.0.8: 32-bit scores, means over the topics of the run unless "
    "-c is given.",
    single_precision=True,
    recall_points="plus 0.9",
    complete=False,
    zero_for_none=True,
    prints_unanswered=False,
    counts_grade_1=True,
    measures="official",
    names_runs=False,
    parameters_replace=True,
)
TREC_EVAL_10 = Profile(
    "trec_eval-10",
    "The output of trec_eval 10.0: 64-bit scores, means over the topics of the run unless "
    "-c is given.",
    recall_points="rounded",
    complete=False,
    zero_for_none=True,
    counts_grade_1=True,
    measures="official",
    names_runs=False,
    parameters_replace=True,
)
PROFILES = {profile.name: profile for profile in (POOLBENCH, TREC_EVAL_9, TREC_EVAL_10)}


def get_profile(profile: Profile | str) -> Profile:
    """The profile with that name, or the given profile; ``ValueError`` for an unknown name."""
    if isinstance(profile, Profile):
        return profile
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}; use one of {', '.join(PROFILES)}")
    return PROFILES[profile]
