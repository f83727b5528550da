from django.apps import AppConfig


class ReliabilityConfig(AppConfig):
    name = "reliability"

    def ready(self) -> None:
        from campaigns.lifecycle.registry import add_life_cycle
        from reliability.lifecycle import LIFE_CYCLE

        add_life_cycle(LIFE_CYCLE)
