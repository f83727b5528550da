from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    translated = (
        "views.leaderboard.score_set_view",
        "views.leaderboard.scores_view",
        "views.paper.paper_view",
        "views.public.",
        "views.run_pairs.",
        "views.runs.",
        "views.score_changes.",
    )
    """Views whose pages are translated, or modules of them."""

    def ready(self) -> None:
        """Add the check of measure names to the field ``Campaign.measures``.

        Only this app knows the measures: forms, API and manifest reject unknown names, and
        ``campaigns`` does not depend on ``evaluation``.
        """
        from campaigns.lifecycle.registry import add_life_cycle
        from campaigns.models import Campaign, CampaignTask
        from campaigns.services.snapshots import add_subject
        from evaluation.lifecycle import LIFE_CYCLE
        from evaluation.queries.estimate_report import ESTIMATES_SUBJECT
        from evaluation.queries.leaderboard_report import LEADERBOARD_SUBJECT
        from evaluation.queries.witness_report import WITNESS_SUBJECT
        from evaluation.rules import check_measures

        Campaign.measures.field.validators.append(check_measures)
        CampaignTask.measures.field.validators.append(check_measures)
        add_life_cycle(LIFE_CYCLE)
        add_subject(LEADERBOARD_SUBJECT)
        add_subject(ESTIMATES_SUBJECT)
        add_subject(WITNESS_SUBJECT)
