"""What the library offers: the one list. Type checkers and editors read it, and so does
``__init__.py``, which imports each name from its module when it is first used.
"""

from poolbench.estimation.estimate import estimate as estimate
from poolbench.estimation.witnesses import examine_machines as examine_machines
from poolbench.evaluation.comparison.rankings import tau as tau
from poolbench.evaluation.comparison.rbo import rbo as rbo
from poolbench.evaluation.evaluate import evaluate as evaluate
from poolbench.evaluation.inputs import read_qrels as read_qrels
from poolbench.evaluation.scores import bounds as bounds
from poolbench.evaluation.scores import compare as compare
from poolbench.evaluation.scores import evaluate_runs as evaluate_runs
from poolbench.evaluation.scores import measures as measures
from poolbench.evaluation.scores import precision_recall as precision_recall
from poolbench.evaluation.scores import user_measures as user_measures
from poolbench.judging.judgments import aggregate as aggregate
from poolbench.judging.judgments import agreement as agreement
from poolbench.pooling.pools import pool as pool
from poolbench.pooling.pools import read_spec as read_spec
from poolbench.pooling.sample_plans import plan_estimates as plan_estimates
from poolbench.preferences.clicks import bradley_terry as bradley_terry
from poolbench.preferences.clicks import click_preferences as click_preferences
from poolbench.preferences.clicks import interleave as interleave
from poolbench.preferences.clicks import score_preferences as score_preferences
from poolbench.reliability.studies import disagreement as disagreement
from poolbench.reliability.studies import report as report
from poolbench.reliability.studies import simulate as simulate
from poolbench.runs.inputs import read_run as read_run
from poolbench.runs.inputs import read_runs as read_runs
from poolbench.runs.outputs import write_qrels as write_qrels
from poolbench.runs.outputs import write_run as write_run
from poolbench.runs.residual import remove_judged as remove_judged

__version__: str
