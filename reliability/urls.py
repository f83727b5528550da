from __future__ import annotations

from django.urls import path

from reliability.views import disagreement, reusability, simulation, stopping

urlpatterns = [
    path(
        "c/<slug:slug>/judging/agreement/effect/",
        disagreement.disagreement_effect_view,
        name="disagreement-effect",
    ),
    path(
        "c/<slug:slug>/judging/agreement/effect/round/",
        disagreement.disagreement_round_view,
        name="disagreement-round",
    ),
    path(
        "c/<slug:slug>/judging/agreement/effect/<slug:table>.<slug:fmt>",
        disagreement.disagreement_download_view,
        name="disagreement-download",
    ),
    path("c/<slug:slug>/results/collection/", reusability.reusability_view, name="reusability"),
    path(
        "c/<slug:slug>/results/collection/<int:pk>/report.<slug:fmt>",
        reusability.reusability_report_view,
        name="reusability-report",
    ),
    path("c/<slug:slug>/pool/simulation/", simulation.simulation_view, name="simulation"),
    path(
        "c/<slug:slug>/pool/simulation/<int:pk>/report.<slug:fmt>",
        simulation.simulation_report_view,
        name="simulation-report",
    ),
    path("c/<slug:slug>/judging/stopping/", stopping.stopping_view, name="stopping"),
    path(
        "c/<slug:slug>/judging/stopping/<slug:table>.<slug:fmt>",
        stopping.stopping_download_view,
        name="stopping-download",
    ),
]
