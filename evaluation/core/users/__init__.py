"""Evaluation from a user's knowledge and clicks: user measures, interleaving, preferences."""
