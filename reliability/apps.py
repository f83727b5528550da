from django.apps import AppConfig


class ReliabilityConfig(AppConfig):
    name = "reliability"

    def ready(self) -> None:
        from campaigns.lifecycle.registry import add_life_cycle
        from campaigns.services.verdicts import add_verdict_kind
        from reliability.lifecycle import LIFE_CYCLE
        from reliability.services.verdicts import VERDICTS

        add_life_cycle(LIFE_CYCLE)
        for verdict in VERDICTS:
            add_verdict_kind(verdict)
