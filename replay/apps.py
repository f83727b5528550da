from django.apps import AppConfig


class ReplayConfig(AppConfig):
    name = "replay"

    def ready(self) -> None:
        from campaigns.lifecycle.registry import add_life_cycle
        from replay.lifecycle import LIFE_CYCLE

        add_life_cycle(LIFE_CYCLE)
