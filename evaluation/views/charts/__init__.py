"""Geometry of charts. Templates draw them as inline SVG without styles."""
