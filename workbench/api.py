"""Routes of the REST API: one router for the view sets of the apps, its schema and docs page."""

from django.urls import include, path
from rest_framework.routers import SimpleRouter

from campaigns.api import data_files, members, resources, tasks, verdicts
from crowd.api import studies
from evaluation.api import estimates, measures, scores, witness
from judging.api import automatic, judgments, plans, progress, qrels, stopping
from pooling.api import PoolViewSet
from preferences.api import comparisons, examples, results
from workbench.api_docs import api_docs_view, api_schema_json_view, api_schema_view

router = SimpleRouter()
router.register("campaigns", resources.CampaignViewSet, basename="api-campaign")
router.register("members", members.MemberViewSet, basename="api-member")
router.register("topics", resources.TopicViewSet, basename="api-topic")
router.register("tasks", tasks.TaskViewSet, basename="api-task")
router.register("documents", resources.DocumentViewSet, basename="api-document")
router.register("data-files", data_files.DataFileViewSet, basename="api-data-file")
router.register("runs", resources.RunViewSet, basename="api-run")
router.register("pools", PoolViewSet, basename="api-pool")
router.register("plans", plans.PlanViewSet, basename="api-plan")
router.register("stopping-rules", stopping.StoppingRuleViewSet, basename="api-stopping-rule")
router.register("progress", progress.ProgressViewSet, basename="api-progress")
router.register("judgments", judgments.JudgmentViewSet, basename="api-judgment")
router.register("automatic", automatic.AutomaticViewSet, basename="api-automatic")
router.register("studies", studies.StudyViewSet, basename="api-study")
router.register("qrels", qrels.QrelsViewSet, basename="api-qrels")
router.register("comparisons", comparisons.ComparisonViewSet, basename="api-comparison")
router.register("score-sets", scores.ScoreSetViewSet, basename="api-score-set")
router.register("run-scores", scores.RunScoresViewSet, basename="api-run-scores")
router.register("estimates", estimates.EstimatesViewSet, basename="api-estimate")
router.register("witnesses", witness.WitnessViewSet, basename="api-witness")
router.register("verdicts", verdicts.VerdictViewSet, basename="api-verdict")
router.register("measures", measures.MeasureViewSet, basename="api-measure")
router.register("interleaving", examples.InterleavingViewSet, basename="api-interleaving")
router.register(
    "click-preferences", examples.ClickPreferenceViewSet, basename="api-click-preferences"
)
router.register("preferences", results.PreferenceResultsViewSet, basename="api-preferences")

urlpatterns = [
    path("", include(router.urls)),
    path("schema/", api_schema_view, name="api-schema"),
    path("schema.json", api_schema_json_view, name="api-schema-json"),
    path("docs/", api_docs_view, name="api-docs"),
]
