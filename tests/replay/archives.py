"""What tests of archives do: change one, as if by another hand; load one, as if elsewhere."""

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path

from campaigns.models import Campaign, User
from poolbench.replay.archive_folder import SUMS, find_campaign_folder
from replay.archive.loader import load_archive
from replay.archive.writer import ArchiveOptions, write_archive


def make_archive(campaign: Campaign, path: Path, **options: bool) -> Path:
    write_archive(campaign, path, ArchiveOptions(**options))
    return path


def unpack(archive: Path) -> Path:
    """The folder of a zip that is trusted."""
    folder = archive.with_suffix("")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    return find_campaign_folder(folder)


def change_file(folder: Path, name: str, change: Callable[[str], str]) -> None:
    """Change a file and its checksum."""
    path = folder / name
    before = path.read_text()
    after = change(before)
    assert after != before
    path.write_text(after)
    old, new = (hashlib.sha256(text.encode()).hexdigest() for text in (before, after))
    sums = folder / SUMS
    sums.write_text(sums.read_text().replace(old, new))


def move_away(campaign: Campaign, settings, tmp_path: Path) -> None:
    """From now on this is another installation: no name of ``campaign`` is taken, nothing is in
    the store.
    """
    for user in User.objects.all():
        user.username = f"former-{user.username}"
        user.save()
    Campaign.objects.filter(pk=campaign.pk).update(slug=f"former-{campaign.slug}")
    settings.STORE_DIR = tmp_path / "elsewhere"


def load(actor: User, archive: Path, **options: object) -> Campaign:
    return load_archive(actor=actor, folder=unpack(archive), **options)
