from django.apps import AppConfig


class ReliabilityConfig(AppConfig):
    name = "reliability"

    def ready(self) -> None:
        from campaigns.lifecycle.registry import add_life_cycle
        from campaigns.services.snapshots import add_subject
        from reliability.lifecycle import LIFE_CYCLE
        from reliability.services.reports import SUBJECTS

        add_life_cycle(LIFE_CYCLE)
        for subject in SUBJECTS:
            add_subject(subject)
