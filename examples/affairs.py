"""Write the answers to examples/affairs.toml: `python examples/affairs.py affairs.csv`.

The answers are a table; statsmodels, which has them, is needed.

The data are those of Fair, "A theory of extramarital affairs" (1978): 6,366 women who
answered a magazine's survey. They were never randomized; here they stand in for what
respondents know about themselves.
"""

import csv
import sys

from statsmodels.datasets import fair

MARRIAGE = ["very poor", "poor", "fair", "good", "very good"]


def main(path: str) -> None:
    """Write the table to `path`."""
    with open(path, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
        table = csv.writer(file)
        table.writerow(["affair", "marriage"])
        for row in fair.load_pandas().data.itertuples():
            affair = "yes" if row.affairs > 0 else "no"
            table.writerow([affair, MARRIAGE[int(row.rate_marriage) - 1]])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/affairs.py TABLE.csv")
    main(sys.argv[1])
