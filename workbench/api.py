"""The REST API's routes: one router over the view sets of the apps, and its schema."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
