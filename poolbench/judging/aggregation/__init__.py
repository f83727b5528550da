"""Crowd labels to one grade per pair, with its uncertainty: one family of models a file."""
