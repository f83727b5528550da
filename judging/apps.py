from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    translated = (
        "views.adjudication.",
        "views.adjudication_screen.",
        "views.consensus.",
        "views.exports.import_export_view",
        "views.judging.",
        "views.judging_sync.",
        "views.plans.plan_assign_view",
        "views.plans.plan_close_view",
        "views.plans.plan_pause_view",
        "views.plans.plan_reassign_view",
        "views.progress.",
        "views.training.",
    )
    """Views whose pages are translated, or modules of them."""

    def ready(self) -> None:
        from campaigns.lifecycle.registry import add_life_cycle
        from campaigns.services.heartbeats import add_tick_chore
        from campaigns.services.snapshots import add_snapshot_kind
        from campaigns.services.verdicts import add_verdict_kind
        from judging.lifecycle import LIFE_CYCLE
        from judging.services.policy_comparison import POLICIES_KIND
        from judging.services.today import TODAY_VERDICT, request_first_snapshots

        add_life_cycle(LIFE_CYCLE)
        add_verdict_kind(TODAY_VERDICT)
        add_snapshot_kind(POLICIES_KIND)
        add_tick_chore(request_first_snapshots)
