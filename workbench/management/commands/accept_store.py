"""``manage.py accept_store``: the store that the settings name is the installation's."""

from typing import Any

from django.core.management.base import BaseCommand

from campaigns.services.store_marker import accept_store, find_store_fault


class Command(BaseCommand):
    help = (
        "Make the store of POOLBENCH_VAR or POOLBENCH_STORE the installation's, after it was moved "
        "or replaced by a copy. Check it with `check_store` first."
    )

    def handle(self, **_options: Any) -> None:
        fault = find_store_fault()
        accept_store()
        self.stdout.write(f"{fault} It is now.".strip() if fault else "The store is accepted.")
