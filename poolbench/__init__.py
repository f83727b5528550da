"""Poolbench as a library."""
