"""Reading what assessors said, and how far they are."""
