"""A campaign as one zip: what is in it, how it is written, how it becomes a campaign again."""
