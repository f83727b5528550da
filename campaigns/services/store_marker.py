"""Whose store this is: the database knows a token, and a file of the store says it.

Another folder or bucket must not be taken for the installation's. A worker would find no file of
any job there, and housekeeping would take all that another installation has stored for left over.
"""

import secrets

from django.db import transaction

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import PairChunk, Run, StoreMarker
from campaigns.storages import MARKER

FIX = (
    "Compare POOLBENCH_VAR and POOLBENCH_STORE with those of the other machines. If this is the "
    "right store, moved or new, run `manage.py accept_store`."
)


def require_own_store() -> None:
    """Raise ``ActionRefused`` unless the store is the installation's. If none has been yet, this
    one becomes it, provided that it has the newest files that rows name.
    """
    if not StoreMarker.objects.exists():
        claim_store()
    if fault := find_store_fault():
        raise ActionRefused("other-store", fault, FIX)


def set_own_store() -> None:
    """Tell this process's storage whose it is to be. It starts in any case: ``/health/`` and the
    pages that need no file say what is wrong.
    """
    if token := StoreMarker.objects.values_list("token", flat=True).first():
        store.get_storage().expect_marker(token)


def claim_store() -> None:
    with transaction.atomic():
        # A second process waits here for the first, and then finds its marker.
        marker, is_new = StoreMarker.objects.get_or_create(pk=1, defaults={"token": make_token()})
        if is_new and (fault := find_foreign_file()):
            raise ActionRefused("other-store", fault, FIX)
        if is_new:
            write_marker(marker.token)


def find_store_fault() -> str:
    """Why the store is not the installation's; "" if it is, or none has been accepted yet."""
    return find_marker_fault(read_marker())


def find_marker_fault(seen: str | None) -> str:
    """The same of a store whose marker has been read; None without one."""
    known = StoreMarker.objects.values_list("token", flat=True).first()
    if known == seen:
        return ""
    if seen is None:
        return "This store is not the installation's: it has no marker."
    return "This store is that of another installation."


def find_foreign_file() -> str:
    """Why a store that no process has accepted yet cannot be the installation's."""
    if read_marker() is not None:
        return "This store is that of another installation."
    runs = Run.objects.filter(file_removed_at=None).values_list("file", flat=True)
    newest = runs.order_by("-pk").first(), PairChunk.objects.values_list("path", flat=True).last()
    lost = next((name for name in newest if name and not store.has_blob(name)), "")
    return f"This store is not the installation's: it has no file {lost}." if lost else ""


def accept_store() -> None:
    """Make this store the installation's, whatever was before: the operator has decided it."""
    with transaction.atomic():
        token = make_token()
        StoreMarker.objects.update_or_create(pk=1, defaults={"token": token})
        write_marker(token)


def clear_marker() -> None:
    """Have the next process that needs the store accept it, as in a restored installation."""
    StoreMarker.objects.all().delete()


def make_token() -> str:
    return secrets.token_hex(16)


def read_marker() -> str | None:
    """The token in the store; None without one."""
    try:
        return store.get_blob(MARKER).decode().strip()
    except store.MissingFileError:
        return None


def write_marker(token: str) -> None:
    store.get_storage().put(MARKER, f"{token}\n".encode(), synced=True)
