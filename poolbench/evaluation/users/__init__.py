"""Evaluation from what a user already knew: user-based measures."""
