"""`python -m benchmarks.fit`: run the benchmark, or continue it."""

import argparse
import sys
from pathlib import Path

import numpy as np
from benchmarks.fit.families import FAMILIES
from benchmarks.fit.methods import METHODS
from benchmarks.fit.problem import Problem
from benchmarks.fit.run import Record, Store, benchmark
from benchmarks.fit.tables import as_csv, markdown, missed_lines, page

QUICK = 6
"""How many problems of each part of a family are run in a hurry."""
SAMPLE = 0
"""The seed of the choice of a sample; a larger sample contains a smaller one."""
DOCUMENT = Path(__file__).parents[2] / "docs" / "fit-benchmark.md"


def chosen(families: list[str], seeds: list[int], most: int | None) -> list[tuple[Problem, int]]:
    """Return the problems with their seeds; at most `most`, spread evenly, of each part."""
    result = []
    for family in families:
        for seed in seeds:
            parts: dict[str, list[Problem]] = {}
            for problem in FAMILIES[family](seed):
                parts.setdefault(problem.group, []).append(problem)
            for members in parts.values():
                count = min(most or len(members), len(members))
                taken = [i * len(members) // count for i in range(count)]
                result += [(members[i], seed) for i in taken]
    return result


def print_records(result: list[Record]) -> None:
    for r in result:
        mark = "FALSE CLAIM" if r.get("false_claim") else "solved" if r.get("solved") else ""
        mark = mark or (r.get("claim") if r["status"] == "done" else r["status"]) or "missed"
        print(
            f"{r['chosen']:11} {r['family']}: {r['problem']} seed {r['seed']}: {mark}, "
            f"{r.get('cpu', r['budget']):.2f} s  {r.get('expression', '')[:80]}",
            flush=True,
        )


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.fit", description=__doc__)
    names = dict.fromkeys(FAMILIES)
    parser.add_argument("--families", default=",".join(names), help="of " + ", ".join(names))
    parser.add_argument("--methods", default=",".join(METHODS), help="of " + ", ".join(METHODS))
    parser.add_argument("--seeds", type=int, default=1, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--quick", action="store_true", help="few problems of each part, 10 s each")
    parser.add_argument("--most", type=int, help="how many problems of each part")
    parser.add_argument("--sample", type=int, help="how many problems in all, at random")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for a fit of nalm")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("--out", type=Path, default=Path("results/fit"), help="folder of records")
    parser.add_argument("--page", action="store_true", help="write docs/fit-benchmark.md and end")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    store = Store(options.out)
    if options.page:
        DOCUMENT.write_text(page(store.records), encoding="utf-8")
        return 0
    seeds = list(range(options.first, options.first + options.seeds))
    problems = chosen(
        options.families.split(","), seeds, options.most or (QUICK if options.quick else None)
    )
    if options.sample:
        order = np.random.default_rng(SAMPLE).permutation(len(problems))
        problems = [problems[i] for i in order[: options.sample]]
    limit = min(options.limit, 10.0) if options.quick else options.limit
    methods = options.methods.split(",")
    benchmark(problems, methods, store, limit=limit, jobs=options.jobs, tell=print_records)
    (options.out / "table.md").write_text(markdown(store.records), encoding="utf-8")
    (options.out / "table.csv").write_text(as_csv(store.records), encoding="utf-8")
    print(markdown(store.records))
    print("nalm missed:\n" + missed_lines(store.records))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
