from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "crowd"
    translated = ("views.doorway.", "views.unit.", "views.unit_start.")
    """Views whose pages are translated, or modules of them."""

    def ready(self) -> None:
        from campaigns.lifecycle.registry import add_life_cycle
        from campaigns.services.heartbeats import add_tick_chore
        from crowd.lifecycle import LIFE_CYCLE
        from crowd.services.key_sets import request_key_sets
        from crowd.services.units import abandon_expired_units

        add_life_cycle(LIFE_CYCLE)
        add_tick_chore(request_key_sets)
        add_tick_chore(abandon_expired_units)
