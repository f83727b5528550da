"""Routes of the REST API: one router for the view sets of the apps, its schema and docs page."""

from __future__ import annotations

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularJSONAPIView
from rest_framework.routers import SimpleRouter

from campaigns import api as campaigns
from evaluation import api as evaluation
from evaluation import measure_api
from judging import api as judging
from judging import automatic_api, progress_api, stopping_api
from judging import plan_api as judging_plans
from pooling import api as pooling
from workbench.api_docs import api_docs_view

router = SimpleRouter()
router.register("campaigns", campaigns.CampaignViewSet, basename="api-campaign")
router.register("topics", campaigns.TopicViewSet, basename="api-topic")
router.register("documents", campaigns.DocumentViewSet, basename="api-document")
router.register("runs", campaigns.RunViewSet, basename="api-run")
router.register("pools", pooling.PoolViewSet, basename="api-pool")
router.register("plans", judging_plans.PlanViewSet, basename="api-plan")
router.register("stopping-rules", stopping_api.StoppingRuleViewSet, basename="api-stopping-rule")
router.register("progress", progress_api.ProgressViewSet, basename="api-progress")
router.register("judgments", judging.JudgmentViewSet, basename="api-judgment")
router.register("automatic", automatic_api.AutomaticViewSet, basename="api-automatic")
router.register("qrels", judging.QrelsViewSet, basename="api-qrels")
router.register("score-sets", evaluation.ScoreSetViewSet, basename="api-score-set")
router.register("run-scores", evaluation.RunScoresViewSet, basename="api-run-scores")
router.register("measures", measure_api.MeasureViewSet, basename="api-measure")

urlpatterns = [
    path("", include(router.urls)),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("schema.json", SpectacularJSONAPIView.as_view(), name="api-schema-json"),
    path("docs/", api_docs_view, name="api-docs"),
]
