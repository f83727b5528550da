"""What a machine's grades are worth beside people's grades of a sample, or of a whole pool.

``confusion``: its grades by people's; ``circularity``: teams that it favours; ``probes``: what
else moves its grades; ``ranking``: the order of runs that it would give; ``drift``: people against
its calibration over time; ``witness``: all of these as one report, with findings in sentences.

All describe the machine, not only this pool: a pair is weighted by 1/π, and errors are those of
pairs drawn anew from such a pool. So a pool that is judged completely has intervals as well
(docs/decisions/0102).
"""
