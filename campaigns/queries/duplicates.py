"""Documents with the same text, and with nearly the same, as the last job has grouped them."""

from collections.abc import Collection
from typing import NamedTuple

from campaigns.models import Campaign, Duplicate

BATCH = 500


class TextGroupMember(NamedTuple):
    """The group of a document, and the hash of its normalized text."""

    group: int
    text: str


def load_text_groups(
    campaign: Campaign, docnos: Collection[str] | None = None
) -> dict[str, TextGroupMember]:
    """By docno: those of ``docnos``, or of all, that have duplicates or near duplicates in the
    campaign.
    """
    members: dict[str, TextGroupMember] = {}
    rows = Duplicate.objects.filter(campaign=campaign).order_by()
    if docnos is None:
        every = rows.values_list("document__docno", "group", "text")
        return {docno: TextGroupMember(group, text) for docno, group, text in every.iterator()}
    listed = list(docnos)
    for start in range(0, len(listed), BATCH):
        named = rows.filter(document__docno__in=listed[start : start + BATCH])
        for docno, group, text in named.values_list("document__docno", "group", "text"):
            members[docno] = TextGroupMember(group, text)
    return members


def list_group_members(
    campaign: Campaign, groups: Collection[int]
) -> dict[int, list[tuple[str, str]]]:
    """By group, its ``(docno, text)``."""
    members: dict[int, list[tuple[str, str]]] = {group: [] for group in groups}
    rows = Duplicate.objects.filter(campaign=campaign, group__in=members)
    named = rows.order_by("document__docno").values_list("group", "document__docno", "text")
    for group, docno, text in named:
        members[group].append((docno, text))
    return members
