"""Mechanisms without domain: reports, statistics, caches, charts, reading."""
