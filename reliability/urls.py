from __future__ import annotations

from django.urls import path

from reliability.views import disagreement, reusability, simulation, stopping

urlpatterns = [
    path(
        "c/<slug:slug>/disagreement/",
        disagreement.disagreement_effect_view,
        name="disagreement-effect",
    ),
    path(
        "c/<slug:slug>/disagreement/round/",
        disagreement.disagreement_round_view,
        name="disagreement-round",
    ),
    path(
        "c/<slug:slug>/disagreement/<slug:table>.<slug:fmt>",
        disagreement.disagreement_download_view,
        name="disagreement-download",
    ),
    path("c/<slug:slug>/collection/", reusability.reusability_view, name="reusability"),
    path(
        "c/<slug:slug>/collection/<int:pk>/report.<slug:fmt>",
        reusability.reusability_report_view,
        name="reusability-report",
    ),
    path("c/<slug:slug>/simulation/", simulation.simulation_view, name="simulation"),
    path(
        "c/<slug:slug>/simulation/<int:pk>/report.<slug:fmt>",
        simulation.simulation_report_view,
        name="simulation-report",
    ),
    path("c/<slug:slug>/stopping/", stopping.stopping_view, name="stopping"),
    path(
        "c/<slug:slug>/stopping/<slug:table>.<slug:fmt>",
        stopping.stopping_download_view,
        name="stopping-download",
    ),
]
