"""Pages of preferences."""

from __future__ import annotations

from django.urls import path

from preferences.views import click_logs, desk, plans, results, tryout

urlpatterns = [
    # Plans of comparisons
    path(
        "c/<slug:slug>/judging/preferences/", plans.comparison_plans_view, name="comparison-plans"
    ),
    path(
        "c/<slug:slug>/judging/preferences/new/",
        plans.comparison_plan_new_view,
        name="comparison-plan-new",
    ),
    path(
        "c/<slug:slug>/judging/preferences/plan/<int:pk>/",
        plans.comparison_plan_view,
        name="comparison-plan",
    ),
    path(
        "c/<slug:slug>/judging/preferences/plan/<int:pk>/pause/",
        plans.comparison_plan_pause_view,
        name="comparison-plan-pause",
    ),
    path(
        "c/<slug:slug>/judging/preferences/plan/<int:pk>/reopen/",
        plans.comparison_plan_reopen_view,
        name="comparison-plan-reopen",
    ),
    path(
        "c/<slug:slug>/judging/preferences/plan/<int:pk>/close/",
        plans.comparison_plan_close_view,
        name="comparison-plan-close",
    ),
    # Click logs and results
    path("interleaving/", tryout.interleaving_view, name="interleaving"),
    path(
        "c/<slug:slug>/judging/preferences/clicks/", click_logs.click_logs_view, name="click-logs"
    ),
    path(
        "c/<slug:slug>/judging/preferences/clicks/import/",
        click_logs.click_log_import_view,
        name="click-log-import",
    ),
    path(
        "c/<slug:slug>/judging/preferences/results/",
        results.preference_results_view,
        name="preference-results",
    ),
    path(
        "c/<slug:slug>/judging/preferences/results/<slug:name>.<slug:fmt>",
        results.preference_results_download_view,
        name="preference-results-download",
    ),
    # The desk
    path("c/<slug:slug>/comparisons/", desk.comparisons_view, name="comparisons"),
    path(
        "c/<slug:slug>/comparisons/mine/",
        desk.my_preferences_view,
        name="my-preferences",
    ),
    path(
        "c/<slug:slug>/comparisons/<int:pk>/",
        desk.comparison_desk_view,
        name="comparison-desk",
    ),
    path(
        "c/<slug:slug>/comparisons/<int:pk>/skip/",
        desk.comparison_skip_view,
        name="comparison-skip",
    ),
    path(
        "c/<slug:slug>/comparisons/<int:pk>/undo/",
        desk.comparison_undo_view,
        name="comparison-undo",
    ),
]
