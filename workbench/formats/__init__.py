"""How moments are written in each language, where it is not Django's own way."""
