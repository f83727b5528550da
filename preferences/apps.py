from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    name = "preferences"
    translated = ("views.desk.",)
    """Views whose pages are translated, or modules of them."""

    def ready(self) -> None:
        from campaigns.lifecycle.registry import add_life_cycle
        from preferences.lifecycle import LIFE_CYCLE

        add_life_cycle(LIFE_CYCLE)
