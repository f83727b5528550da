"""Reading: campaign status, score sets, leaderboards and comparisons."""
