"""What people tell by what they know and what they pick: user measures, interleaving, clicks."""
