"""Preferences without Django: interleaving, clicks, shares of runs, Bradley–Terry, cycles."""
