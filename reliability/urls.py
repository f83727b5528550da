from django.urls import include, path

from campaigns.views.helpers import page
from reliability.views import disagreement, reusability, simulation, stopping

CAMPAIGN_PAGES = [
    page("judging/agreement/effect/", disagreement.disagreement_effect_view),
    page("judging/agreement/effect/round/", disagreement.disagreement_round_view),
    page(
        "judging/agreement/effect/<slug:table>.<slug:fmt>", disagreement.disagreement_download_view
    ),
    page("results/collection/", reusability.reusability_view),
    page("results/collection/<int:pk>/report.<slug:fmt>", reusability.reusability_report_view),
    page("pool/simulation/", simulation.simulation_view),
    page("pool/simulation/<int:pk>/report.<slug:fmt>", simulation.simulation_report_view),
    page("judging/stopping/", stopping.stopping_view),
    page("judging/stopping/<slug:table>.<slug:fmt>", stopping.stopping_download_view),
]
urlpatterns = [path("c/<slug:slug>/", include(CAMPAIGN_PAGES))]
