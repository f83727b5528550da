"""Data files as one reader sees them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.contrib.auth.models import AnonymousUser

from campaigns import store
from campaigns.models import Campaign, DataFile, DataFileVersion, User
from campaigns.models.data_files import TEXT
from campaigns.rules import is_organizer_anywhere

MOST_SHOWN = 200_000
"""Bytes of a text that pages show."""


@dataclass(frozen=True)
class OfferedFile:
    """A file with its newest version; ``versions`` are all of them, the newest first."""

    file: DataFile
    versions: Sequence[DataFileVersion]

    @property
    def newest(self) -> DataFileVersion:
        return self.versions[0]

    @cached_property
    def text(self) -> str:
        """What a page shows of it as Markdown; empty for files that are only downloaded."""
        if self.file.source != TEXT or self.newest.size > MOST_SHOWN:
            return ""
        return store.get_blob(self.newest.path).decode(errors="replace")


def list_offered_files(
    user: User | AnonymousUser, campaign: Campaign, audience: str = ""
) -> list[OfferedFile]:
    """The files of ``campaign`` that ``user`` can download, or those given to ``audience``."""
    files = DataFile.objects.visible_to(user).filter(campaign=campaign)
    if audience:
        files = files.filter(audience=audience)
    rows = files.prefetch_related("versions")
    return [OfferedFile(file, list(file.versions.all())) for file in rows]


def find_version(
    user: User | AnonymousUser, slug: str, name: str, sha256: str = ""
) -> DataFileVersion | None:
    """The newest version of a file that ``user`` can download. Earlier ones, by their hash, are
    for organizers.
    """
    files = DataFile.objects.visible_to(user).filter(campaign__slug=slug, name=name)
    file = files.select_related("campaign").first()
    if file is None:
        return None
    newest = file.versions.first()
    if not sha256 or newest is None or newest.sha256 == sha256:
        return newest
    if not isinstance(user, User) or not is_organizer_anywhere(user, file.campaign):
        return None
    return file.versions.filter(sha256=sha256).first()


def list_changes(offered: Sequence[OfferedFile]) -> list[DataFileVersion]:
    """Every version after the first, the newest first."""
    later = [version for each in offered for version in each.versions if version.number > 1]
    return sorted(later, key=lambda version: version.at, reverse=True)


def format_checksums(offered: Sequence[OfferedFile]) -> str:
    """As ``sha256sum --check`` reads them."""
    return "".join(f"{each.newest.sha256}  {each.file.name}\n" for each in offered)
