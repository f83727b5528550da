"""How often each alarm about a machine is raised, on collections that are judged completely.

``python -m benchmarks.witness DATA [SAMPLES]``: DL19 with its seven machines, one of them shuffled
and a run as the machine; TREC-COVID with simulated machines. For a shuffled or simulated machine
every alarm about teams, topics and texts is a false one.
"""

import gzip
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.sampled_scores import (
    JudgedCollection,
    copy_run,
    load_dl19,
    load_machine,
    load_trec_covid,
    shuffle_machine,
    simulate_machine,
    size_pairs,
)
from poolbench.estimation.design import draw_order
from poolbench.estimation.diagnostics.probes import measure_texts
from poolbench.estimation.diagnostics.witness import MachineReport, WitnessInputs, describe_machine
from poolbench.estimation.machines import MachineInput
from poolbench.estimation.sample import JudgedSample, build_sample
from poolbench.statistics.inclusion import inclusion_probabilities

SEVEN = (
    "4prompts_llama70b", "4_prompts_dl2019", "gen_query_similarity_qrel",
    "sun_then_decomposed_relavance_qrel", "4prompts_flant5large", "prompt_order__3210",
    "sun_then_decomposed_flant5large",
)  # fmt: skip
COPIED, COPIED_COVID = "idst_bert_p1", "sab20.1.blind"
SHARES = (0.05, 0.1, 0.2, 1.0)
TEAMS = {
    "TUW19": "TUW", "ICT": "ICT", "UNH": "UNH", "bm25": "BM25", "idst": "IDST", "p_": "P-BERT",
    "runid": "CMU", "srchvrs": "SRCHVRS", "TUA1": "TUA1", "ms_duet": "MS", "test1": "test1",
}  # fmt: skip
"""Of DL19's runs, by the beginnings of their tags."""


def name_team(run: str) -> str:
    return next((team for begin, team in TEAMS.items() if run.startswith(begin)), run)


def list_teams(collection: JudgedCollection) -> dict[str, str]:
    return {run: name_team(run) for run in collection.frame.runs}


def draw_samples(
    collection: JudgedCollection, machine: MachineInput, share: float, samples: int
) -> Iterator[JudgedSample]:
    """Samples drawn with the machine's grades as prior; everything is judged once at share 1."""
    if share == 1:
        every = np.arange(len(collection.grades))
        pi = np.ones(len(every))
        yield build_sample(collection.frame, collection.grades, every, pi, collection.top)
        return
    z = size_pairs(collection, [machine])
    number = round(share * len(z))
    pi = inclusion_probabilities(z, number)
    for seed in range(samples):
        counted = draw_order(collection.frame, z, seed)[:number]
        yield build_sample(collection.frame, collection.grades, counted, pi, collection.top)


def read_dl19_texts(data: Path, collection: JudgedCollection) -> np.ndarray:
    """Length and share of query terms of each pair, NaN without a text."""
    folder = data / "trec-dl19-passage"
    lines = (folder / "topics.tsv").read_text().splitlines()
    queries = dict(line.split("\t") for line in lines)
    lines = gzip.decompress((folder / "passages.jsonl.gz").read_bytes()).splitlines()
    records = map(json.loads, lines)
    texts = {record["docid"]: record["doc"] for record in records}
    pairs = collection.qrels.by_pair()
    return measure_texts(
        (queries[topic], texts[docno]) if docno in texts else None for topic, docno in pairs
    )


ALARMS: dict[str, Callable[[MachineReport], bool]] = {
    "team": lambda own: any(team.is_alarm for team in own.teams),
    "topic": lambda own: any(topic.is_flagged for topic in own.confusion.topics),
    "length": lambda own: any(each.is_alarm for each in own.probes if each.name == "length"),
    "query": lambda own: any(each.is_alarm for each in own.probes if each.name == "query"),
}


def print_rates(
    collection: JudgedCollection,
    machines: Sequence[MachineInput],
    inputs: WitnessInputs,
    copied: str,
    samples: int,
) -> None:
    """``copied``: the run that the last column asks for the team of."""
    print(f"{'machine':36} share  " + "  ".join(f"{name:>6}" for name in ALARMS) + "  copied")
    for machine in machines:
        for share in SHARES:
            drawn = draw_samples(collection, machine, share, samples)
            reports = [describe_machine(sample, machine, inputs) for sample in drawn]
            rates = [np.mean([is_raised(own) for own in reports]) for is_raised in ALARMS.values()]
            found = np.mean([name_team(copied) in list_alarmed(own) for own in reports])
            cells = "  ".join(f"{rate:6.2f}" for rate in (*rates, found))
            print(f"{machine.name[-36:]:36} {share:5.2f}  {cells}", flush=True)


def list_alarmed(report: MachineReport) -> list[str]:
    return [team.team for team in report.teams if team.is_alarm]


def main(data: Path, samples: int = 40) -> None:
    dl19 = load_dl19(data)
    seven = [load_machine(data, dl19, name) for name in SEVEN]
    machines = [*seven, shuffle_machine(seven[0]), copy_run(dl19, COPIED)]
    inputs = WitnessInputs(list_teams(dl19), read_dl19_texts(data, dl19))
    print("DL19 passage")
    print_rates(dl19, machines, inputs, COPIED, samples)
    covid = load_trec_covid(data)
    simulated = [simulate_machine(covid, kappa) for kappa in (0.2, 0.4, 0.6)]
    print("TREC-COVID round 1")
    own = copy_run(covid, COPIED_COVID)
    inputs = WitnessInputs(list_teams(covid))
    print_rates(covid, [*simulated, own], inputs, COPIED_COVID, samples)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
