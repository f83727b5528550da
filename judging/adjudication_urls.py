"""URLs of adjudication; part of ``judging.urls``."""

from __future__ import annotations

from django.urls import path

from judging.views import adjudication, adjudication_screen, consensus

urlpatterns = [
    path("c/<slug:slug>/adjudication/", adjudication.adjudication_view, name="adjudication"),
    path("c/<slug:slug>/adjudication/round/", adjudication.round_open_view, name="round-open"),
    path(
        "c/<slug:slug>/adjudication/round/<int:pk>/end/",
        adjudication.round_end_view,
        name="round-end",
    ),
    path(
        "c/<slug:slug>/adjudication/disputes.csv",
        adjudication.disagreements_download_view,
        name="disagreements-download",
    ),
    path("c/<slug:slug>/adjudication/meeting/", consensus.consensus_view, name="consensus"),
    path(
        "c/<slug:slug>/adjudication/meeting/pair/",
        consensus.consensus_pair_view,
        name="consensus-pair",
    ),
    path(
        "c/<slug:slug>/adjudication/meeting/take-back/",
        consensus.consensus_undo_view,
        name="consensus-undo",
    ),
    path("c/<slug:slug>/adjudicate/", adjudication_screen.adjudicate_view, name="adjudicate"),
    path(
        "c/<slug:slug>/adjudicate/skip/",
        adjudication_screen.adjudication_skip_view,
        name="adjudication-skip",
    ),
    path(
        "c/<slug:slug>/adjudicate/undo/",
        adjudication_screen.adjudication_undo_view,
        name="adjudication-undo",
    ),
]
