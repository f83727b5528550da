"""Pages of preferences."""

from django.urls import include, path

from campaigns.views.helpers import page
from preferences.views import desk, plans, results, tryout

CAMPAIGN_PAGES = [
    # Plans of comparisons
    page("judging/preferences/", plans.comparison_plans_view),
    page("judging/preferences/new/", plans.comparison_plan_new_view),
    page("judging/preferences/plan/<int:pk>/", plans.comparison_plan_view),
    page("judging/preferences/plan/<int:pk>/pause/", plans.comparison_plan_pause_view),
    page("judging/preferences/plan/<int:pk>/reopen/", plans.comparison_plan_reopen_view),
    page("judging/preferences/plan/<int:pk>/close/", plans.comparison_plan_close_view),
    page("judging/preferences/clicks/", results.click_logs_view),
    page("judging/preferences/clicks/import/", results.click_log_import_view),
    page("judging/preferences/results/", results.preference_results_view),
    page(
        "judging/preferences/results/<slug:name>.<slug:fmt>",
        results.preference_results_download_view,
    ),
    # The desk
    page("comparisons/", desk.comparisons_view),
    page("comparisons/mine/", desk.my_preferences_view),
    page("comparisons/<int:pk>/", desk.comparison_desk_view),
    page("comparisons/<int:pk>/skip/", desk.comparison_skip_view),
    page("comparisons/<int:pk>/undo/", desk.comparison_undo_view),
]
urlpatterns = [
    # Click logs and results
    page("interleaving/", tryout.interleaving_view),
    path("c/<slug:slug>/", include(CAMPAIGN_PAGES)),
]
