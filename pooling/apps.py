from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"

    def ready(self) -> None:
        from campaigns.lifecycle.registry import add_life_cycle
        from pooling.lifecycle import LIFE_CYCLE

        add_life_cycle(LIFE_CYCLE)
