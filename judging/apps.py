from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    translated = (
        "views.adjudication_screen.",
        "views.consensus.",
        "views.judging.",
        "views.my_judgments.",
        "views.duplicates.",
        "views.judging_sync.",
        "views.training.",
    )
    """Views whose pages are translated, or modules of them."""

    def ready(self) -> None:
        from campaigns.lifecycle.registry import add_life_cycle
        from campaigns.services.copies import add_copied_part
        from campaigns.services.duplicates import add_grouping_act
        from campaigns.services.heartbeats import add_tick_chore
        from campaigns.services.snapshots import add_subject
        from judging.lifecycle import LIFE_CYCLE
        from judging.services.bulk import refresh_judging_statistics
        from judging.services.copies import copy_judging_settings
        from judging.services.policy_comparison import POLICIES_SUBJECT
        from judging.services.propagation import release_changed
        from judging.services.reminders import queue_judging_reminders
        from judging.services.today import TODAY_SUBJECT, request_first_snapshots

        add_life_cycle(LIFE_CYCLE)
        add_copied_part(copy_judging_settings)
        add_grouping_act(release_changed)
        add_subject(TODAY_SUBJECT)
        add_subject(POLICIES_SUBJECT)
        add_tick_chore(request_first_snapshots)
        add_tick_chore(refresh_judging_statistics)
        add_tick_chore(queue_judging_reminders)
