from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        """A campaign names its measures; what a measure is, is known here only.

        So this app brings the check to the field: form, API and manifest refuse a name that
        does not exist, and ``campaigns`` goes on knowing nothing of ``evaluation``.
        """
        from campaigns.models import Campaign
        from evaluation.rules import check_measures

        Campaign.measures.field.validators.append(check_measures)
