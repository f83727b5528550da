from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        """Register the check of measure names on ``Campaign.measures``.

        Forms, the API and manifests then reject unknown names, without a dependency of
        ``campaigns`` on ``evaluation``.
        """
        from campaigns.models import Campaign
        from evaluation.rules import check_measures

        Campaign.measures.field.validators.append(check_measures)
