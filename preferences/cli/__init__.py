"""Commands of preferences on files."""
