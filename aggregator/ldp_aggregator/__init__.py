"""The operator's and analyst's side: reports in, unbiased estimates with intervals out.

`estimate(survey, reports)` gives estimates, from whatever holds the reports;
`aggregate` the tally between the two; `Ingest(survey)` turns bytes into a `Tally` as
they come. Each name is loaded when it is first used, so that `ldp --help` does not wait
for numpy.
"""

from typing import TYPE_CHECKING

try:
    from ldp import __version__, parse_survey
    from ldp.lazy import lazily
except ImportError as error:
    from ldpkit_core import clash

    raise clash(error) from None

if TYPE_CHECKING:
    from ldp_aggregator.analyses.association.association import associate
    from ldp_aggregator.analyses.association.crosstab import Crosstab
    from ldp_aggregator.analyses.association.crosstabs import Crosstabs, crosstab
    from ldp_aggregator.analyses.association.result import Association
    from ldp_aggregator.analyses.comparisons.comparing import compare
    from ldp_aggregator.analyses.comparisons.comparison import Comparison
    from ldp_aggregator.analyses.comparisons.direct import (
        Direct,
        DirectComparison,
        compare_direct,
    )
    from ldp_aggregator.analyses.comparisons.group_comparisons import (
        GroupComparisons,
        compare_groups,
    )
    from ldp_aggregator.analyses.designs.numbers import number_design
    from ldp_aggregator.analyses.designs.survey_design import design
    from ldp_aggregator.analyses.groups.estimation import estimate_groups
    from ldp_aggregator.analyses.groups.group_estimates import (
        GroupEstimates,
        GroupOfEstimates,
    )
    from ldp_aggregator.analyses.health_checks.phantoms import phantom_score
    from ldp_aggregator.analyses.health_checks.report_checks import health
    from ldp_aggregator.analyses.queries.answering import Answer, query
    from ldp_aggregator.analyses.queries.group_answers import GroupAnswers, query_groups
    from ldp_aggregator.analyses.regression.fitting import regress, regress_rows
    from ldp_aggregator.analyses.regression.options import RegressionOptions
    from ldp_aggregator.analyses.regression.result import Regression
    from ldp_aggregator.analyses.rows.counting import tally_of_rows
    from ldp_aggregator.analyses.rows.inputs import estimate
    from ldp_aggregator.analyses.rows.reading import SurveyRows, read_rows
    from ldp_aggregator.analyses.series.course import Course
    from ldp_aggregator.analyses.series.following import follow
    from ldp_aggregator.analyses.series.group_trends import GroupTrends, follow_groups
    from ldp_aggregator.analyses.series.trends import Trends
    from ldp_aggregator.analyses.synthesis.synthesis import Synthetic, synthesize
    from ldp_aggregator.analyses.weighting.design_rows import DesignedRows
    from ldp_aggregator.analyses.weighting.rows import SamplingFrame
    from ldp_aggregator.analyses.weighting.weighing import weigh, weigh_rows
    from ldp_aggregator.analyses.weighting.weighted import Weighted
    from ldp_aggregator.answers.distributions.distribution import Distribution
    from ldp_aggregator.answers.estimates.question_estimation import estimate_question
    from ldp_aggregator.answers.estimates.second_stage import SecondStage, second_stage
    from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
    from ldp_aggregator.answers.geography import Geography
    from ldp_aggregator.answers.maps.geojson import read_geography
    from ldp_aggregator.answers.maps.maps import Map
    from ldp_aggregator.answers.options import MapOptions, NumberOptions, Options
    from ldp_aggregator.answers.results.manipulation import frequency_reach
    from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
    from ldp_aggregator.answers.results.values import Estimate
    from ldp_aggregator.answers.shares.detection import detected
    from ldp_aggregator.output.files import FileError, read_candidates, read_survey
    from ldp_aggregator.tallies.identity import OverlapError
    from ldp_aggregator.tallies.intake.aggregation import aggregate
    from ldp_aggregator.tallies.intake.ingest import Ingest
    from ldp_aggregator.tallies.tally import Intake, Tally
    from ldp_aggregator.tallies.tally_file import decode_tally, encode_tally
    from ldp_aggregator.versions.comparison import VersionChanges, compare_versions

__all__ = [
    "Answer",
    "Association",
    "Comparison",
    "Course",
    "Crosstab",
    "Crosstabs",
    "DesignedRows",
    "Direct",
    "DirectComparison",
    "Distribution",
    "Estimate",
    "FileError",
    "Geography",
    "GroupAnswers",
    "GroupComparisons",
    "GroupEstimates",
    "GroupOfEstimates",
    "GroupTrends",
    "Ingest",
    "Intake",
    "Map",
    "MapOptions",
    "NumberOptions",
    "Options",
    "OverlapError",
    "QuestionEstimates",
    "Regression",
    "RegressionOptions",
    "SamplingFrame",
    "SecondStage",
    "SurveyEstimates",
    "SurveyRows",
    "Synthetic",
    "Tally",
    "Trends",
    "VersionChanges",
    "Weighted",
    "__version__",
    "aggregate",
    "associate",
    "compare",
    "compare_direct",
    "compare_groups",
    "compare_versions",
    "crosstab",
    "decode_tally",
    "design",
    "detected",
    "encode_tally",
    "estimate",
    "estimate_groups",
    "estimate_question",
    "follow",
    "follow_groups",
    "frequency_reach",
    "health",
    "number_design",
    "parse_survey",
    "phantom_score",
    "query",
    "query_groups",
    "read_candidates",
    "read_geography",
    "read_rows",
    "read_survey",
    "regress",
    "regress_rows",
    "second_stage",
    "synthesize",
    "tally_of_rows",
    "weigh",
    "weigh_rows",
]

_HOMES = {
    "design": "analyses.designs.survey_design",
    "number_design": "analyses.designs.numbers",
    "Association": "analyses.association.result",
    "Comparison": "analyses.comparisons.comparison",
    "compare": "analyses.comparisons.comparing",
    "Direct": "analyses.comparisons.direct",
    "DirectComparison": "analyses.comparisons.direct",
    "compare_direct": "analyses.comparisons.direct",
    "GroupComparisons": "analyses.comparisons.group_comparisons",
    "compare_groups": "analyses.comparisons.group_comparisons",
    "VersionChanges": "versions.comparison",
    "compare_versions": "versions.comparison",
    "Course": "analyses.series.course",
    "follow": "analyses.series.following",
    "GroupTrends": "analyses.series.group_trends",
    "follow_groups": "analyses.series.group_trends",
    "Trends": "analyses.series.trends",
    "Distribution": "answers.distributions.distribution",
    "Map": "answers.maps.maps",
    "Estimate": "answers.results.values",
    "FileError": "output.files",
    "Geography": "answers.geography",
    "GroupEstimates": "analyses.groups.group_estimates",
    "GroupOfEstimates": "analyses.groups.group_estimates",
    "Ingest": "tallies.intake.ingest",
    "Intake": "tallies.tally",
    "MapOptions": "answers.options",
    "NumberOptions": "answers.options",
    "Options": "answers.options",
    "OverlapError": "tallies.identity",
    "QuestionEstimates": "answers.results.question_estimates",
    "SurveyEstimates": "answers.estimates.survey_estimates",
    "Tally": "tallies.tally",
    "aggregate": "tallies.intake.aggregation",
    "associate": "analyses.association.association",
    "Crosstab": "analyses.association.crosstab",
    "Crosstabs": "analyses.association.crosstabs",
    "crosstab": "analyses.association.crosstabs",
    "decode_tally": "tallies.tally_file",
    "detected": "answers.shares.detection",
    "encode_tally": "tallies.tally_file",
    "estimate": "analyses.rows.inputs",
    "estimate_groups": "analyses.groups.estimation",
    "health": "analyses.health_checks.report_checks",
    "phantom_score": "analyses.health_checks.phantoms",
    "estimate_question": "answers.estimates.question_estimation",
    "frequency_reach": "answers.results.manipulation",
    "read_candidates": "output.files",
    "read_geography": "answers.maps.geojson",
    "read_survey": "output.files",
    "Answer": "analyses.queries.answering",
    "query": "analyses.queries.answering",
    "GroupAnswers": "analyses.queries.group_answers",
    "query_groups": "analyses.queries.group_answers",
    "SurveyRows": "analyses.rows.reading",
    "read_rows": "analyses.rows.reading",
    "tally_of_rows": "analyses.rows.counting",
    "SecondStage": "answers.estimates.second_stage",
    "second_stage": "answers.estimates.second_stage",
    "Synthetic": "analyses.synthesis.synthesis",
    "synthesize": "analyses.synthesis.synthesis",
    "RegressionOptions": "analyses.regression.options",
    "DesignedRows": "analyses.weighting.design_rows",
    "SamplingFrame": "analyses.weighting.rows",
    "Regression": "analyses.regression.result",
    "Weighted": "analyses.weighting.weighted",
    "regress": "analyses.regression.fitting",
    "regress_rows": "analyses.regression.fitting",
    "weigh": "analyses.weighting.weighing",
    "weigh_rows": "analyses.weighting.weighing",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES, __all__)
