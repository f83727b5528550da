from django.urls import include, path

from campaigns.views.helpers import page
from evaluation.views import (
    downloads,
    estimates,
    interim_scores,
    leaderboard,
    measures,
    paper,
    public,
    run_pairs,
    runs,
    score_changes,
    witness,
)

CAMPAIGN_PAGES = [
    page("results/scores/", leaderboard.scores_view),
    page("results/scores/evaluate/", leaderboard.score_evaluate_view),
    page("results/scores/now/", interim_scores.interim_scores_view),
    page("results/scores/<int:pk>/", leaderboard.score_set_view),
    page("results/scores/<int:pk>/release/", leaderboard.score_release_view),
    page("results/scores/<int:pk>/publish/", leaderboard.score_publish_view),
    page("results/scores/<int:pk>/compare/", runs.compare_view),
    page("results/scores/<int:pk>/changes/", score_changes.score_set_changes_view),
    page("results/scores/<int:pk>/pairs/", run_pairs.pairs_view),
    page("results/scores/<int:pk>/pairs.<slug:fmt>", downloads.pairs_download_view),
    page("results/scores/<int:pk>/measures/", run_pairs.measures_compared_view),
    page("results/scores/<int:pk>/scores.<slug:fmt>", downloads.score_set_download_view),
    page("results/scores/<int:pk>/files/<slug:part>/", downloads.estimate_file_view),
    page("results/scores/<int:pk>/run/<int:run>/", runs.run_scores_view),
    page(
        "results/scores/<int:pk>/run/<int:run>/scores.<slug:fmt>",
        downloads.run_scores_download_view,
    ),
    page("results/scores/<int:pk>/run/<int:run>/changes/", score_changes.run_scores_changes_view),
    page("results/scores/now/interim.<slug:fmt>", downloads.interim_scores_download_view),
    page("results/scores/<int:pk>/compare.<slug:fmt>", downloads.compare_download_view),
    page("results/scores/<int:pk>/measures.<slug:fmt>", downloads.measures_compared_download_view),
    page("results/estimates/", estimates.estimates_view),
    page("results/estimates/estimates.<slug:fmt>", estimates.estimates_download_view),
    page("judging/automatic/<slug:name>/witness/", witness.automatic_witness_view),
    page(
        "judging/automatic/<slug:name>/witness.<slug:fmt>", witness.automatic_witness_download_view
    ),
    page("results/paper/", paper.paper_view),
    page("results/paper/<slug:table>.<slug:fmt>", paper.paper_download_view),
]
urlpatterns = [
    page("measures/", measures.measures_view),
    page("measures/<str:name>/", measures.measure_view),
    page("p/<slug:slug>/", public.public_campaign_view),
    path("c/<slug:slug>/", include(CAMPAIGN_PAGES)),
]
