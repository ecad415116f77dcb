"""The operator's and analyst's side: reports in, unbiased estimates with intervals out.

`estimate(survey, reports)` gives estimates, from whatever holds the reports; `aggregate` the tally
between the two; `Ingest(survey)` turns bytes into a `Tally` as they come. Each name is loaded when
it is first used, so that `ldp --help` does not wait for numpy.
"""

from typing import TYPE_CHECKING

try:
    from ldp import __version__, parse_survey
    from ldp.lazy import lazily
except ImportError as error:
    from ldpkit_core import clash

    raise clash(error) from None

if TYPE_CHECKING:
    from ldp_aggregator.association.association import associate
    from ldp_aggregator.association.crosstab import Crosstab
    from ldp_aggregator.association.crosstabs import Crosstabs, crosstab
    from ldp_aggregator.association.result import Association
    from ldp_aggregator.comparisons.comparing import compare
    from ldp_aggregator.comparisons.comparison import Comparison
    from ldp_aggregator.comparisons.direct import Direct, DirectComparison, compare_direct
    from ldp_aggregator.comparisons.group_comparisons import GroupComparisons, compare_groups
    from ldp_aggregator.distributions.distribution import Distribution
    from ldp_aggregator.estimates.detection import detected
    from ldp_aggregator.estimates.manipulation import frequency_reach
    from ldp_aggregator.estimates.question_estimates import QuestionEstimates
    from ldp_aggregator.estimates.question_estimation import estimate_question
    from ldp_aggregator.estimates.question_numbers import Estimate
    from ldp_aggregator.estimates.second_stage import SecondStage, second_stage
    from ldp_aggregator.estimates.survey_estimates import SurveyEstimates
    from ldp_aggregator.files import FileError, read_candidates, read_survey
    from ldp_aggregator.geography import Geography
    from ldp_aggregator.groups.estimation import estimate_groups
    from ldp_aggregator.groups.group_estimates import GroupEstimates, GroupOfEstimates
    from ldp_aggregator.health_checks.phantoms import phantom_score
    from ldp_aggregator.health_checks.report_checks import health
    from ldp_aggregator.options import Options
    from ldp_aggregator.places.geojson import read_geography
    from ldp_aggregator.places.maps import Map
    from ldp_aggregator.queries.answering import Answer, query
    from ldp_aggregator.queries.group_answers import GroupAnswers, query_groups
    from ldp_aggregator.regression.fitting import regress, regress_rows
    from ldp_aggregator.regression.options import RegressionOptions
    from ldp_aggregator.regression.result import Regression
    from ldp_aggregator.rows.at_hand import estimate
    from ldp_aggregator.rows.counting import tally_of_rows
    from ldp_aggregator.rows.reading import SurveyRows, read_rows
    from ldp_aggregator.series.course import Course
    from ldp_aggregator.series.following import follow
    from ldp_aggregator.series.group_trends import GroupTrends, follow_groups
    from ldp_aggregator.series.trends import Trends
    from ldp_aggregator.synthesis.synthesis import Synthetic, synthesize
    from ldp_aggregator.tallies.aggregation import aggregate
    from ldp_aggregator.tallies.identity import OverlapError
    from ldp_aggregator.tallies.ingest import Ingest
    from ldp_aggregator.tallies.tally import Intake, Tally
    from ldp_aggregator.tallies.tally_file import decode_tally, encode_tally
    from ldp_aggregator.versions.comparison import VersionChanges, compare_versions
    from ldp_aggregator.weighting.design_rows import DesignedRows
    from ldp_aggregator.weighting.rows import SamplingFrame
    from ldp_aggregator.weighting.weighing import weigh, weigh_rows
    from ldp_aggregator.weighting.weighted import Weighted

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
    "detected",
    "encode_tally",
    "estimate",
    "estimate_groups",
    "estimate_question",
    "follow",
    "follow_groups",
    "frequency_reach",
    "health",
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
    "Association": "association.result",
    "Comparison": "comparisons.comparison",
    "compare": "comparisons.comparing",
    "Direct": "comparisons.direct",
    "DirectComparison": "comparisons.direct",
    "compare_direct": "comparisons.direct",
    "GroupComparisons": "comparisons.group_comparisons",
    "compare_groups": "comparisons.group_comparisons",
    "VersionChanges": "versions.comparison",
    "compare_versions": "versions.comparison",
    "Course": "series.course",
    "follow": "series.following",
    "GroupTrends": "series.group_trends",
    "follow_groups": "series.group_trends",
    "Trends": "series.trends",
    "Distribution": "distributions.distribution",
    "Map": "places.maps",
    "Estimate": "estimates.question_numbers",
    "FileError": "files",
    "Geography": "geography",
    "GroupEstimates": "groups.group_estimates",
    "GroupOfEstimates": "groups.group_estimates",
    "Ingest": "tallies.ingest",
    "Intake": "tallies.tally",
    "Options": "options",
    "OverlapError": "tallies.identity",
    "QuestionEstimates": "estimates.question_estimates",
    "SurveyEstimates": "estimates.survey_estimates",
    "Tally": "tallies.tally",
    "aggregate": "tallies.aggregation",
    "associate": "association.association",
    "Crosstab": "association.crosstab",
    "Crosstabs": "association.crosstabs",
    "crosstab": "association.crosstabs",
    "decode_tally": "tallies.tally_file",
    "detected": "estimates.detection",
    "encode_tally": "tallies.tally_file",
    "estimate": "rows.at_hand",
    "estimate_groups": "groups.estimation",
    "health": "health_checks.report_checks",
    "phantom_score": "health_checks.phantoms",
    "estimate_question": "estimates.question_estimation",
    "frequency_reach": "estimates.manipulation",
    "read_candidates": "files",
    "read_geography": "places.geojson",
    "read_survey": "files",
    "Answer": "queries.answering",
    "query": "queries.answering",
    "GroupAnswers": "queries.group_answers",
    "query_groups": "queries.group_answers",
    "SurveyRows": "rows.reading",
    "read_rows": "rows.reading",
    "tally_of_rows": "rows.counting",
    "SecondStage": "estimates.second_stage",
    "second_stage": "estimates.second_stage",
    "Synthetic": "synthesis.synthesis",
    "synthesize": "synthesis.synthesis",
    "RegressionOptions": "regression.options",
    "DesignedRows": "weighting.design_rows",
    "SamplingFrame": "weighting.rows",
    "Regression": "regression.result",
    "Weighted": "weighting.weighted",
    "regress": "regression.fitting",
    "regress_rows": "regression.fitting",
    "weigh": "weighting.weighing",
    "weigh_rows": "weighting.weighing",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, _HOMES, __all__)
