"""Intervals as the pages of preferences show them."""

from __future__ import annotations

from django import template

from poolbench.preferences.formats import format_estimate_interval, format_topic_interval

register = template.Library()
register.filter("estimate_interval", format_estimate_interval)
register.filter("topic_interval", format_topic_interval)
