"""Mutation testing: does a test fail for each small mistake that could be made?

    uv run --group mutation python -m lab.endurance.mutation

tries every mutant that was not tried yet. What comes behind it chooses among them:

    ldp.numbers.randomness      those of one module, or of a package
    --share 0.05        a sample of each module's
    --mistakes          larger mistakes, such as people make

`mutating.py` makes the mutants, `fork_server.py` runs tests on them. A mutant is asked
of the tests of its area (`AREAS`) that come by its statement, until the first that
fails. Outcomes are kept line by line in a file, so that a second call goes on where the
first one ended: a changed module begins anew; what survived is tried again, too, once
tests of its area changed. Mutants that change no behaviour are no mistakes: those are
listed in `mutants_left.toml`, each with the reason, and do not count.

Exits with 1 where less than 95 % are killed. Mutants whose tests take ten times as long
as those of the unchanged module count as killed. What tests see through other processes
(commands, examples) is not seen here.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
import tomllib
from functools import cache
from pathlib import Path

from places import ROOT, TESTS

from lab.endurance.mutation.fork_server import (
    ONE_THREAD,
    QUIET,
    Measured,
    Server,
    changed_code,
    reaped,
)
from lab.endurance.mutation.mutating import Mutant, mistakes, mutants
from lab.endurance.mutation.statements import statement_lines

LEFT = Path(__file__).with_name("mutants_left.toml")
PATHS = {
    "ldp": ROOT,
    "ldp_client": ROOT / "client",
    "ldp_aggregator": ROOT / "aggregator",
    "ldp_service": ROOT / "aggregator",
    "ldp_simulations": ROOT / "simulations",
}
GOAL = 0.95
FEW_SECONDS = 5.0

_MECHANISM = "laws mutants channel exact vectors published"
AREAS = {
    "ldp.mechanisms.auto": "auto survey_file",
    "ldp.mechanisms": f"{_MECHANISM} longitudinal exponential histogram subset "
    "projective additive sets sketches hadamard heavy_hitters survey_file",
    "ldp.mechanisms.numbers.arcs": f"{_MECHANISM} arcs",
    "ldp.numbers.sines": "arcs",
    "ldp.mechanisms.vectors.codebook": f"{_MECHANISM} codebook",
    "ldp.mechanisms.numbers.dithered": f"{_MECHANISM} dithered",
    "ldp.mechanisms.places.metric": f"{_MECHANISM} metric",
    "ldp.mechanisms.numbers.one_bit": f"{_MECHANISM} one_bit",
    "ldp.mechanisms.numbers.square_wave": f"{_MECHANISM} square_wave",
    "ldp.mechanisms.values.numbered_subsets": f"{_MECHANISM} tree pyramid",
    "ldp.mechanisms.numbers.tree": f"{_MECHANISM} tree",
    "ldp.mechanisms.places.pyramid": f"{_MECHANISM} pyramid hybrid_grids places",
    "ldp.mechanisms.places.stripes": f"{_MECHANISM} stripes",
    "ldp.mechanisms.sets.subsets": f"{_MECHANISM} subsets",
    "ldp.mechanisms.texts.taxonomy": f"{_MECHANISM} taxonomy_errors taxonomy_surveys",
    "ldp.survey.attributes": "attributes vectors",
    "ldp.numbers.accounting": "accounting longitudinal certificate ledger",
    "ldp.mechanisms.chains.bloom": "vectors published laws",
    "ldp.numbers.buckets": "laws auto",
    "ldp.privacy.certificate": "certificate check_certificate",
    "ldp.numbers.channel": "channel laws accounting",
    "ldp.privacy.batches": "deltas batch_certificate batch_plans",
    "ldp.mechanisms.blankets": "blankets deltas batch_certificate",
    "ldp.privacy.certificates": "batch_certificate",
    "ldp.privacy.deltas": "deltas batch_certificate",
    "ldp.privacy.laws": "deltas batch_certificate",
    "ldp.wire.sealed": "sealing vectors",
    "ldp.survey.compiled": "vectors certificate",
    "ldp.survey.declarations": "declarations fields",
    "ldp.answers.contributions": "contributions",
    "ldp.survey.readers.contribution_keys": "contributions",
    "ldp.survey.draws": "draws",
    "ldp.answers.domain": (
        "domain survey_file sets fields vectors numbers taxonomy_surveys"
    ),
    "ldp.numbers.epochs": "epochs vectors",
    "ldp.errors": "keys survey_file wire",
    "ldp.numbers.exact": "exact vectors exponential published",
    "ldp.survey.readers.field_keys": "fields",
    "ldp.answers.fields": "fields field_answers",
    "ldp.answers.booleans": "domain vectors",
    "ldp.answers.integers": "domain numbers contributions vectors",
    "ldp.answers.real_numbers": "domain numbers contributions vectors",
    "ldp.answers.vectors": "codebook vectors",
    "ldp.numbers.finite_field": "finite_field vectors",
    "ldp.mechanisms.chains.identifiers": "identifiers certificate",
    "ldp.survey.joint": "joint survey_file",
    "ldp.answers.balls": "codebook vectors",
    "ldp.survey.readers.ball_keys": "codebook",
    "ldp.survey.readers.circle_keys": "circular arcs",
    "ldp.mechanisms.vectors.codewords": "codebook vectors",
    "ldp.answers.keys": "keys survey_file exact",
    "ldp.numbers.layout": "laws vectors ingest wire survey_file codebook",
    "ldp.mechanisms.values.optimum": "optimum",
    "ldp.answers.cells": "second_stage",
    "ldp.survey.readers.place_keys": "places pyramid regions",
    "ldp.survey.profiles": "profiles",
    "ldp.numbers.randomness": "randomness vectors silence mutants",
    "ldp.survey.readers.scale_keys": "numbers key_values",
    "ldp.answers.key_values": "key_values vectors",
    "ldp.answers.scales": "numbers dithered",
    "ldp.answers.sets": "sets vectors",
    "ldp.transparency.ed25519": "ed25519 stops",
    "ldp.transparency.stops": "stops",
    "ldp.survey.survey": "survey_file vectors ledger declarations",
    "ldp.survey.survey_file": "survey_file ledger epochs joint auto sets profiles "
    "numbers codebook taxonomy_surveys contributions metric",
    "ldp.survey.survey_text": "survey_text survey_file notes",
    "ldp.survey.survey_toml": "declarations",
    "ldp.answers.taxonomies": (
        "taxonomy_surveys taxonomy_errors taxonomy_selection two_passes"
    ),
    "ldp.survey.readers.taxonomy_keys": "taxonomy_surveys taxonomy_errors",
    "ldp.answers.texts": "texts domain",
    "ldp.transparency": "merkle_tree register_entries register_proofs pinned_registers",
    "ldp.wire.wire": "wire wire_fuzz frames vectors ingest",
    "ldp_client": "silence versions scopes ledger store embedded sending client epochs "
    "transport device_state mutants rollbacks contention consent vault recovery "
    "vectors clocks lines stops_followed",
    "ldp_client.embedding.advice": "running_numbers deliveries",
    "ldp_client.embedding.stop_lists": "stops_followed",
    "ldp_client.embedding.asynchronous": "deliveries",
    "ldp_client.keeping.clocks": "clocks due_times",
    "ldp_client.tools.codegen": "device_commands notes",
    "ldp_client.tools.codegen_typescript": "codegen",
    "ldp_client.delivery.counts": "deliveries embedded sending",
    "ldp_client.embedding.daily": "deliveries",
    "ldp_client.delivery.days": "clocks sending",
    "ldp_client.embedding.error_guard": "embedded deliveries",
    "ldp_client.delivery.limits": "running_numbers sending clocks",
    "ldp_client.delivery.connection": "lines transport",
    "ldp_client.delivery.loss_counters": "running_numbers deliveries",
    "ldp_client.delivery.outbox": "sending clocks due_times scopes epochs device_state "
    "deliveries running_numbers",
    "ldp_client.delivery.outcomes": "deliveries transport",
    "ldp_client.delivery.sealing": "sealing",
    "ldp_client.delivery.schedule": "due_times clocks sending deliveries device_state",
    "ldp_client.delivery.sender": "due_times sending deliveries",
    "ldp_client.embedding.status": "deliveries running_numbers",
    "ldp_client.delivery.transport": "transport lines scopes",
    "ldp_client.delivery.transport_settings": "lines",
    "ldp_client.delivery.verdicts": "transport deliveries",
    "ldp_aggregator.tallies.mixing": "sealing collector",
    "ldp_service.relay": "relay pool arrivals",
    "ldp_aggregator.tallies.intake.ingest": "ingest frames",
    "ldp_aggregator.tallies.intake.screening": "ingest",
    "ldp_aggregator.tallies.counting": "counting ingest tally projective_folding joint",
    "ldp_aggregator.tallies.counting.bit_counting": "bit_counting counting",
    "ldp_aggregator.tallies.counting.hash_counting": "counting sketches ingest",
    "ldp_aggregator.tallies.counting.joint_counting": "joint_cells joint association",
    "ldp_aggregator.tallies.tally": "tally ingest snapshot",
    "ldp_aggregator.tallies.tally_file": "snapshot tally overlaps",
    "ldp_aggregator.tallies.identity": "identity overlaps",
    "ldp_aggregator.tallies.intake.overlaps": "overlaps",
    "ldp_aggregator.tallies.counting.siphash": "identity",
    "ldp_aggregator.analyses.groups": "release group_tallies asked_by_group",
    "ldp_aggregator.decoders.moments.moments": "score_laws intervals result",
    "ldp_aggregator.decoders.moments.joint_errors": "score_laws contrasts",
    "ldp_aggregator.answers.contrasts": "contrasts queries",
    "ldp_aggregator.analyses.queries": "queries",
    "ldp_aggregator.commands.reporting": "report",
    "ldp_aggregator.answers.contrasts.linear_functions": "contrasts queries",
    "ldp_aggregator.decoders.moments.scores": "joint_cells jumps",
    "ldp_aggregator.decoders.values.pure": "score_laws intervals result repeats jumps "
    "manipulation joint_cells health pooling",
    "ldp_aggregator.decoders.values.matrix": (
        "score_laws result manipulation joint_cells health"
    ),
    "ldp_aggregator.decoders.values.sum": (
        "score_laws histogram manipulation joint_cells pooling"
    ),
    "ldp_aggregator.decoders.numbers.noise": "score_laws jumps additive result "
    "manipulation joint_cells",
    "ldp_aggregator.decoders.values.sketch": (
        "score_laws sketches manipulation health pooling"
    ),
    "ldp_aggregator.decoders.values.sampled": (
        "score_laws jumps repeats manipulation pooling"
    ),
    "ldp_aggregator.decoders.search.found": "heavy_hitters",
    "ldp_aggregator.decoders.search.reach": "search_reach",
    "ldp_aggregator.answers.results.means": "result additive dithered",
    "ldp_aggregator.decoders.intervals.intervals": "intervals result",
    "ldp_aggregator.answers.requests": "result remarks",
    "ldp_aggregator.answers.shares.detection": "result intervals found",
    "ldp_aggregator.answers.estimates.estimation": "result postprocess remarks",
    "ldp_aggregator.answers.estimates.stop_lists": "stop_lists",
    "ldp_aggregator.answers.estimates.question_estimation": (
        "result postprocess remarks"
    ),
    "ldp_aggregator.answers.shares.frequencies": "result postprocess remarks",
    "ldp_aggregator.answers.means": "result remarks additive square_wave_shapes",
    "ldp_aggregator.answers.pairs": "key_values",
    "ldp_aggregator.answers.vectors": "codebook",
    "ldp_aggregator.answers.texts": "result found",
    "ldp_aggregator.answers.trees": "taxonomy_selection",
    "ldp_aggregator.answers.shares": "result contrasts remarks",
    "ldp_aggregator.answers.results.room": "result",
    "ldp_aggregator.answers.results.cells": "result distribution",
    "ldp_aggregator.answers.options": "result",
    "ldp_aggregator.answers.lines": "distribution arcs circular",
    "ldp_aggregator.answers.geography": "places districts",
    "ldp_aggregator.answers.estimates.rooms": "result",
    "ldp_aggregator.decoders.values.blocks": (
        "hadamard manipulation joint_cells health few_values"
    ),
    "ldp_aggregator.decoders.intervals.cumulants": "score_laws jumps few_reports",
    "ldp_aggregator.decoders.intervals.count_law": "few_reports",
    "ldp_aggregator.decoders.intervals.count_intervals": "few_reports",
    "ldp_aggregator.decoders.intervals.scaled_poisson": "few_reports",
    "ldp_aggregator.decoders.intervals.null_chances": "few_reports",
    "ldp_aggregator.decoders.intervals.after_selection": "found",
    "ldp_aggregator.decoders.intervals.rescaled_moments": "planning",
    "ldp_aggregator.decoders.moments.jumps": "jumps",
    "ldp_aggregator.decoders.moments.few_supports": "few_values",
    "ldp_aggregator.decoders.moments.repeats": "repeats jumps",
    "ldp_aggregator.decoders.numbers.mean": "one_bit manipulation",
    "ldp_aggregator.analyses.comparisons": "comparisons",
    "ldp_aggregator.analyses.comparisons.direct": "experiment",
    "ldp_aggregator.analyses.series": "series",
    "ldp_aggregator.analyses.series.levels": "levels series",
    "ldp_aggregator.analyses.series.mixtures": "levels series",
    "ldp_aggregator.decoders.numbers.dithered": "dithered manipulation",
    "ldp_aggregator.decoders.vectors.codebook": "codebook",
    "ldp_aggregator.decoders.vectors": "codebook",
    "ldp_aggregator.versions": "version_changes version_keys register_command",
    "ldp_client.answering.registered": "pinned_registers",
    "ldp_aggregator.tallies.counting.codeword_counting": "codebook",
    "ldp_aggregator.decoders.taxonomies": (
        "taxonomy_errors taxonomy_selection two_passes"
    ),
    "ldp_aggregator.decoders.taxonomies.views": "taxonomy_errors taxonomy_selection "
    "taxonomy_health two_passes",
    "ldp_aggregator.analyses.regression": (
        "plain_regression likelihood_laws weigh_commands"
    ),
    "ldp_aggregator.analyses.regression.formula": "formula plain_regression",
    "ldp_aggregator.analyses.regression.ascent": (
        "ascent likelihood_laws plain_regression"
    ),
    "ldp_aggregator.analyses.weighting": (
        "weighing kalton weigh_commands plain_regression"
    ),
    "ldp_aggregator.analyses.weighting.margins": "margins weigh_commands",
    "ldp_aggregator.decoders.arcs.arcs": "arcs distribution manipulation",
    "ldp_aggregator.decoders.arcs": "arcs distribution circular",
    "ldp_aggregator.decoders.trees.tree": "tree manipulation",
    "ldp_aggregator.decoders.linear": "arcs tree distribution pooled_numbers",
    "ldp_aggregator.decoders.key_laws": "key_values",
    "ldp_aggregator.decoders.other_results": "search_reach",
    "ldp_aggregator.decoders.trees": "tree",
    "ldp_aggregator.decoders.trees.contrasts": "pyramid",
    "ldp_aggregator.decoders.trees.zooms": "pyramid hybrid_grids",
    "ldp_aggregator.decoders.trees.pyramid": "pyramid manipulation",
    "ldp_aggregator.decoders.stripes.stripes": "stripes",
    "ldp_aggregator.decoders.stripes": "stripes",
    "ldp_aggregator.answers.maps": "places pyramid districts regions second_stage",
    "ldp_aggregator.answers.estimates.second_stage": "second_stage",
    "ldp_aggregator.decoders.marginals.marginals": "subsets",
    "ldp_aggregator.decoders.marginals": "subsets",
    "ldp_aggregator.answers.distributions": "distribution arcs circular",
    "ldp_aggregator.answers.distributions.circle": "circular",
    "ldp_aggregator.answers.estimates.applicable": "service_queries square_wave",
    "ldp_aggregator.decoders.key_values.signed": "key_values score_laws manipulation",
    "ldp_aggregator.decoders.key_values": "key_values",
    "ldp_aggregator.decoders.numbers.window": "square_wave manipulation",
    "ldp_aggregator.numerics.shapes": "square_wave_shapes",
    "ldp_aggregator.decoders.decoder": "manipulation result one_bit additive health "
    "number_explanation distribution pooling",
    "ldp_aggregator.decoders.table": "result",
    "ldp_aggregator.decoders.count_law": "views",
    "ldp_aggregator.exchange": "views counts_of_others otlp",
    "ldp_aggregator.decoders.numbers.noise_likelihood": "additive jumps",
    "ldp_aggregator.analyses.association.crosstab": "crosstab",
    "ldp_aggregator.analyses.association.crosstab_sheet": "crosstab",
    "ldp_aggregator.analyses.association.crosstabs": "crosstab subsets",
    "ldp_aggregator.analyses.association.measures": "crosstab",
    "ldp_aggregator.analyses.synthesis": "synthesis",
    "ldp_aggregator.analyses.association.likelihood": "likelihood",
    "ldp_aggregator.analyses.association.result": "association_result",
    "ldp_aggregator.analyses.association.scores": "joint_cells jumps",
    "ldp_aggregator.analyses.association.jumps": "jumps joint_cells",
    "ldp_aggregator.analyses.association.association": (
        "joint_cells association remarks"
    ),
    "ldp_aggregator.numerics.bisection": "bisection",
    "ldp_aggregator.decoders.bloom.bloom": "joint_cells bloom_regression manipulation",
    "ldp_aggregator.decoders.bloom": "bloom_regression bloom_selection repeats",
    "ldp_aggregator.decoders.bloom.decoding": "bloom_decoding",
    "ldp_aggregator.decoders.bloom.hashing": "bulk_candidates bloom_decoding",
    "ldp_aggregator.decoders.bloom.sums": "google_rappor_indistinguishable",
    "ldp_aggregator.decoders.bloom.joint": "bloom_joint bloom_selection",
    "ldp_aggregator.decoders.search.search": "heavy_hitters manipulation",
    "ldp_aggregator.decoders.search": "heavy_hitters search_reach",
    "ldp_aggregator.numerics.empirical_bayes": "empirical_bayes result",
    "ldp_aggregator.answers.results.manipulation": (
        "manipulation remarks result distribution"
    ),
    "ldp_aggregator.answers.results.values": "result remarks distribution",
    "ldp_aggregator.answers.results.question_estimates": "result remarks distribution",
    "ldp_aggregator.answers.estimates.survey_estimates": "result",
    "ldp_aggregator.analyses.health_checks": "health phantoms hadamard",
    "ldp_aggregator.decoders.moments.bit_covariance": "bloom_regression repeats",
    "ldp_aggregator.decoders.moments.bit_designs": (
        "bulk_candidates google_rappor_indistinguishable"
    ),
    "ldp_aggregator.decoders.moments.supports": (
        "projective projective_folding score_laws sets"
    ),
    "ldp_aggregator.numerics.postprocessing": "postprocess result",
    "ldp_aggregator.numerics.projective": (
        "projective projective_folding finite_field array_cache"
    ),
    "ldp_aggregator.answers.estimates.pooling": "pooling",
    "ldp_aggregator.answers.results.remarks": "remarks",
    "ldp_aggregator.explanations.composition": "composition",
    "ldp_aggregator.explanations.views": "batch_views",
    "ldp_aggregator.explanations.trusted_curator": "batch_plans",
    "ldp_simulations.audit": "audit",
}
"""The tests that are asked about a module, or about all modules of a package that have
no line of their own.
"""

Record = dict[str, object]


def source_of(module: str) -> Path:
    """The file of a module."""
    package = module.partition(".")[0]
    place = PATHS[package].joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def modules(asked: list[str]) -> list[str]:
    """All modules with an area.

    Or those that are asked for, by name or as a package, in that order.
    """
    names = []
    for package, folder in PATHS.items():
        for path in sorted((folder / package).rglob("*.py")):
            name = ".".join(path.relative_to(folder).with_suffix("").parts)
            if path.name != "__init__.py" and tests_of(name) and "testing" not in name:
                names.append(name)
    if not asked:
        return names
    return [
        name
        for wanted in asked
        for name in names
        if name == wanted or name.startswith(f"{wanted}.")
    ]


def tests_of(module: str) -> list[str]:
    """The test files that are asked about a module."""
    names = [module] if module in AREAS else []
    parts = module.split(".")
    names += [".".join(parts[:length]) for length in range(len(parts) - 1, 0, -1)]
    area = next((AREAS[name] for name in names if name in AREAS), "")
    return [str(files_by_name()[f"test_{name}"]) for name in area.split()]


@cache
def files_by_name() -> dict[str, Path]:
    """Every test file, by its name."""
    return {path.stem: path for path in TESTS.rglob("test_*.py")}


def digest(paths: list[Path]) -> str:
    """Which files an outcome is about."""
    return hashlib.sha256(
        b"".join(path.read_bytes() for path in paths if path.exists())
    ).hexdigest()[:16]


class Outcomes:
    """What is known of each mutant, in a file with a line for each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self._known = {
            (record["mutant"], record["source"]): record
            for record in map(json.loads, lines)
        }
        self._digests: dict[str, tuple[str, str]] = {}

    def _digests_of(self, module: str) -> tuple[str, str]:
        if module not in self._digests:
            tests = [Path(test) for test in tests_of(module)]
            self._digests[module] = digest([source_of(module)]), digest(tests)
        return self._digests[module]

    def of(self, mutant: Mutant) -> Record | None:
        """What was found; None if it is to be found out."""
        source, tests = self._digests_of(mutant.module)
        record: Record | None = self._known.get((mutant.name, source))
        if (
            record is not None
            and record["outcome"] == "survived"
            and record["tests"] != tests
        ):
            return None
        return record

    def keep(self, mutant: Mutant, outcome: str) -> None:
        """Write it down."""
        source, tests = self._digests_of(mutant.module)
        record: Record = {
            "mutant": mutant.name,
            "source": source,
            "tests": tests,
            "outcome": outcome,
        }
        record |= {"line": mutant.line, "before": mutant.before, "after": mutant.after}
        self._known[mutant.name, source] = record
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        if outcome == "survived" and mutant.change not in reasons():
            sys.stdout.write(
                f"{outcome}: {mutant.module}:{mutant.line}  {mutant.before}  ->  "
                f"{mutant.after}\n"
            )
            sys.stdout.flush()


def try_all(server: Server, todo: list[Mutant], outcomes: Outcomes, jobs: int) -> int:
    """Find out what becomes of each; of those first that need no new import."""
    measured = server.measured
    running: dict[int, tuple[Mutant, bool]] = {}
    anew: list[Mutant] = []

    def ended() -> None:
        child, outcome = reaped()
        mutant, again = running.pop(child)
        if outcome == "survived" and again:
            anew.append(mutant)
        else:
            outcomes.keep(mutant, outcome)

    if not unchanged_passes(
        server, list(dict.fromkeys(mutant.module for mutant in todo))
    ):
        return 2
    for mutant in todo:
        path = source_of(mutant.module)
        sound = path.read_text(encoding="utf-8")
        try:
            pairs = changed_code(path, sound, mutant.source)
        except SyntaxError:
            outcomes.keep(mutant, "invalid")
            continue
        lines = statement_lines(sound, mutant.line, mutant.last)
        every = area(measured, mutant.module)
        if not measured.sees_any(every):
            continue
        tests = measured.passing(path, lines).intersection(every)
        early = measured.is_early(path, lines)
        if pairs is None or (early and not tests):
            anew.append(mutant)
            continue
        while len(running) >= jobs:
            ended()
        # What no test was seen to run may be run by children that tests fork.
        running[server.quick(pairs, [*(tests or every)])] = mutant, early
    while running or anew:
        if anew and len(running) < jobs:
            mutant = anew.pop(0)
            tests = area(measured, mutant.module)
            running[
                server.anew(
                    mutant.module, source_of(mutant.module), mutant.source, tests=tests
                )
            ] = (
                mutant,
                False,
            )
        else:
            ended()
    return 0


def unchanged_passes(server: Server, names: list[str]) -> bool:
    """Whether quick tests of each area pass where sound modules are imported anew.

    All of them did while measured.
    """
    for name in {tuple(tests_of(name)): name for name in names}.values():
        path = source_of(name)
        tests = server.measured.quickest(area(server.measured, name), FEW_SECONDS)
        server.anew(name, path, path.read_text(encoding="utf-8"), tests=tests)
        if reaped()[1] != "survived":
            sys.stderr.write(
                f"the tests of {name} fail without any change, once it is imported "
                "anew\n"
            )
            return False
    return True


def area(measured: Measured, module: str) -> list[str]:
    """The tests that are asked about a module."""
    files = {Path(test).name for test in tests_of(module)}
    return [
        test for test in measured.seconds if Path(test.partition("::")[0]).name in files
    ]


def reasons() -> dict[tuple[str, str, str], str]:
    """Why some are no mistakes, by module and change."""
    listed = tomllib.loads(LEFT.read_text(encoding="utf-8"))["mutant"]
    return {
        (entry["module"], entry["before"], after): entry["reason"]
        for entry in listed
        for after in (
            [entry["after"]] if isinstance(entry["after"], str) else entry["after"]
        )
    }


def summary(outcomes: list[tuple[Mutant, Record | None]]) -> int:
    """Print the share of what was tried that is killed, by module, and what is left."""
    explained = reasons()
    by_module: dict[str, list[bool]] = {}
    harmless = 0
    for mutant, record in outcomes:
        killed = record is not None and record["outcome"] in ("killed", "timeout")
        if mutant.change in explained and not killed:
            harmless += 1
        elif record is not None and record["outcome"] != "invalid":
            by_module.setdefault(mutant.module, []).append(killed)
    for module, killed in sorted(by_module.items()):
        sys.stdout.write(f"{module:45} {sum(killed):5} of {len(killed):5} killed\n")
    every = [killed for value in by_module.values() for killed in value]
    share = sum(every) / max(1, len(every))
    sys.stdout.write(
        f"{sum(every)} of {len(every)} killed: {share:.1%}; {harmless} listed as "
        "harmless\n"
    )
    return 0 if share >= GOAL else 1


def try_area(
    files: tuple[str, ...],
    todo: list[Mutant],
    outcomes: Outcomes,
    options: argparse.Namespace,
) -> int:
    """Try the mutants of one area in a child, which collects its tests alone.

    So the first outcomes are there before the tests of other areas are measured.
    """
    import pytest

    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    server = Server(
        {name: source_of(name) for name in modules([])},
        ROOT,
        options.results.with_suffix(".measured"),
        work=lambda server: try_all(server, todo, outcomes, jobs=options.jobs),
    )
    pytest.main([*QUIET, "--rootdir", str(ROOT), *files], plugins=[server])
    sys.stdout.flush()
    os._exit(server.result)


def main(arguments: list[str]) -> int:
    """Run, and say what is left."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "modules",
        nargs="*",
        help="modules or packages; all that have an area if none is named",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=1.0,
        help="of each module's mutants, drawn with a fixed seed",
    )
    parser.add_argument(
        "--mistakes", action="store_true", help="only the larger ones, of mistakes.toml"
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("mutation.jsonl"),
        help="where outcomes are kept",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument(
        "--count", action="store_true", help="only say how many mutants there are"
    )
    parser.add_argument("--summary", action="store_true", help="only say what is known")
    options = parser.parse_args(arguments)
    options.results = options.results.absolute()
    os.chdir(ROOT)
    os.environ.update(ONE_THREAD)
    chosen: list[Mutant] = []
    for module in dict.fromkeys(modules(options.modules)):
        source = source_of(module).read_text(encoding="utf-8")
        changes = [] if options.mistakes else mutants(module, source)
        draw = random.Random(f"{module} 1")
        chosen += mistakes(module, source)
        chosen += draw.sample(
            changes,
            round(options.share * len(changes) + draw.random() * 0.999 - 0.4995),
        )
    if options.count:
        sys.stdout.write(f"{len(chosen)}\n")
        return 0
    outcomes = Outcomes(options.results)
    explained = reasons()
    todo = [
        mutant
        for mutant in chosen
        if outcomes.of(mutant) is None and mutant.change not in explained
    ]
    if todo and not options.summary:
        areas: dict[tuple[str, ...], list[Mutant]] = {}
        for mutant in todo:
            areas.setdefault(tuple(tests_of(mutant.module)), []).append(mutant)
        for files, some in areas.items():
            if code := try_area(files, some, outcomes, options=options):
                return code
        outcomes = Outcomes(options.results)
    return summary([(mutant, outcomes.of(mutant)) for mutant in chosen])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
