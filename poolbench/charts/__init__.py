"""Charts as data: scales and axes, marks, legend and title, drawn as SVG.

``chart`` describes and draws a chart, ``kinds`` builds common ones, ``marks`` are what is drawn,
``axes`` and ``plot`` place it, ``svg`` writes elements, ``file`` and ``png`` write files that stand
alone, ``numbers`` lists what is drawn.
"""
