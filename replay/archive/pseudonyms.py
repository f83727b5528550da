"""Pseudonyms of the people in an archive: the same in every archive of the campaign."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.crypto import salted_hmac

from campaigns.models import Campaign, User
from poolbench.judging.policies import ASSESSOR, PairBallot, get_policy

PSEUDONYM = re.compile(r"(assessor|worker)-[0-9a-z]{6,12}")
AUTOMATIC = "automatic:"
SALT = "replay.archive.pseudonyms"


def is_pseudonym(user: User) -> bool:
    """Whether the account stands for a person who is not known here: a worker of the crowd, or an
    assessor of a campaign that was loaded from an archive.
    """
    return not user.is_active and PSEUDONYM.fullmatch(user.username) is not None


@dataclass(frozen=True)
class Pseudonyms:
    """``by_pk`` and ``by_name``: of everybody who could have judged, by ID and by username."""

    by_pk: Mapping[int, str]
    by_name: Mapping[str, str]

    def rename_policy(self, policy: str) -> str:
        """A policy may name an assessor."""
        who = policy.removeprefix(ASSESSOR)
        return policy if who == policy else ASSESSOR + self.find(who)

    def rename_manifest(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """The manifest of a qrels version without names; its rows of the log are as they were."""
        renamed = dict(manifest) | {"policy": self.rename_policy(manifest["policy"])}
        renamed["assessors"] = self.rename_keys(manifest["assessors"])
        if renamed["policy"] != manifest["policy"]:
            renamed["rule"] = get_policy(renamed["policy"]).card.reading
        if adjudications := manifest.get("adjudications"):
            by = self.rename_keys(adjudications["adjudicators"])
            renamed["adjudications"] = adjudications | {"adjudicators": by}
        if automatic := manifest.get("automatic"):
            left = {key: each for key, each in automatic.items() if key != "brought_by"}
            renamed["automatic"] = left
        if aggregation := manifest.get("aggregation"):
            gold = self.rename_keys(aggregation["gold"])
            renamed["aggregation"] = aggregation | {"gold": gold}
        return renamed

    def rename_keys(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return dict(sorted((self.find(name), each) for name, each in values.items()))

    def find(self, name: str) -> str:
        """The pseudonym of ``name``; a name without an account does not pass either."""
        if name in self.by_name or name.startswith(AUTOMATIC) or PSEUDONYM.fullmatch(name):
            return self.by_name.get(name, name)
        return "assessor-" + salted_hmac(SALT, name, algorithm="sha256").hexdigest()[:12]

    def rename_ballots(self, ballots: Sequence[PairBallot]) -> list[PairBallot]:
        return [replace(ballot, people=self.rename_keys(ballot.people)) for ballot in ballots]


def choose_pseudonyms(campaign: Campaign, people: Sequence[User]) -> Pseudonyms:
    """For ``people``; a key of this installation makes them, which no archive has."""
    automatic = dict(campaign.automatic_assessors.values_list("user", "name"))
    by_pk = {user.pk: make_pseudonym(campaign, user, automatic) for user in people}
    return Pseudonyms(by_pk, {user.username: by_pk[user.pk] for user in people})


def make_pseudonym(campaign: Campaign, user: User, automatic: Mapping[int, str]) -> str:
    if user.pk in automatic:
        return AUTOMATIC + automatic[user.pk]
    if is_pseudonym(user):
        return str(user.username)
    key = f"{campaign.pk}:{campaign.created_at.isoformat()}:{user.pk}"
    return "assessor-" + salted_hmac(SALT, key, algorithm="sha256").hexdigest()[:12]
