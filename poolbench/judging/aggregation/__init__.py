"""Crowd labels to one grade per pair, with its uncertainty: one model a file, of one shape."""
