"""Draws, intervals and estimates: one way to compute with samples.

``draws``: how often each unit (a topic, an assessor, a pair) is drawn, in batches, always the same
for the same seed. There are two streams, counted integers and multinomials, since published
figures come from both. ``bootstrap``: values of all draws, and the middle share of them as an
interval. ``least_topics``: how many topics an interval needs, and why. ``estimate``: the result,
a value with ``low``, ``high``, ``level``, ``n`` and ``why``.
"""
