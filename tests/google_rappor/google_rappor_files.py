"""Collections of google/rappor without any chance in them: every count is its own
expectation.
"""

from fractions import Fraction

from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
from ldp_aggregator.exchange.google_rappor.files import Parameters

PYTHON = DIALECTS["python"]
PARAMETERS = Parameters(16, 2, 4, p=Fraction(1, 4), q=Fraction(3, 4), f=Fraction(1, 2))
SHARES = {
    "red": Fraction(1, 2),
    "green": Fraction(3, 8),
    "blue": Fraction(1, 8),
    "mauve": Fraction(0),
}
REPORTS = 6400


def map_cells(parameters):
    """The bits of each candidate in all cohorts, counted from 1."""
    return {
        name: [
            cohort * parameters.bits + position + 1
            for cohort in range(parameters.cohorts)
            for position in PYTHON.positions(
                name.encode(), cohort, parameters.hashes, bits=parameters.bits
            )
        ]
        for name in SHARES
    }


CELLS = map_cells(PARAMETERS)


def params_text(parameters):
    """The header, and the numbers as decimals."""
    return (
        "k,h,m,p,q,f\n" + ",".join(str(float(number)) for number in parameters) + "\n"
    )


def counts_text(parameters, cells, reports=REPORTS, dialect=PYTHON, shares=SHARES):
    """The expected counts of n reports in each cohort, which have to be whole
    numbers.
    """
    one, zero = dialect.as_run(parameters).support
    rows = []
    for cohort in range(parameters.cohorts):
        row = [Fraction(reports)]
        for bit in range(
            cohort * parameters.bits + 1, (cohort + 1) * parameters.bits + 1
        ):
            share = sum(part for name, part in shares.items() if bit in cells[name])
            row.append(reports * (share * one + (1 - share) * zero))
        assert all(cell.denominator == 1 for cell in row)
        rows.append(row)
    return lines(rows)


def lines(rows):
    """Rows as comma-separated values."""
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def map_text(cells):
    """The candidates with their bits."""
    return lines([name, *bits] for name, bits in cells.items())


def write_collection(folder, parameters=PARAMETERS, cells=CELLS):
    """The three files, in a folder."""
    (folder / "params.csv").write_text(params_text(parameters))
    (folder / "counts.csv").write_text(counts_text(parameters, cells))
    (folder / "map.csv").write_text(map_text(cells))
