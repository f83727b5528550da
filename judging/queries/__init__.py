"""Queries: judgments, progress, agreement."""
