"""Reading: where a campaign stands, and what its score sets say to whom."""
