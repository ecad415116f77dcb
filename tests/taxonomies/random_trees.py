"""Trees made up at random, and what they stand for."""

import ldp


def random_parents(generator, *, inner=5, values=12, depth=4):
    """Parents as a randomizer has them: inner nodes by depth, then values, some below
    each.
    """
    while True:
        parents, depths = [], []
        for _ in range(inner):
            fit = [node for node, own in enumerate(depths) if own < depth - 1]
            above = int(generator.integers(-1, len(fit)))
            parents.append(1 + fit[above] if above >= 0 else 0)
            depths.append(1 + depths[fit[above]] if above >= 0 else 1)
        # In the order of their depths, which is stable.
        order = sorted(range(inner), key=lambda node: depths[node])
        place = {node: number for number, node in enumerate(order)}
        above = [1 + place[parents[node] - 1] if parents[node] else 0 for node in order]
        leaves = [
            *range(1, inner + 1),
            *generator.integers(0, inner + 1, values - inner).tolist(),
        ]
        if sum(parent == 0 for parent in (*above, *leaves)) > 1:
            return (*above, *leaves)


def membership(parents, size):
    """Of every value the nodes that hold it, as rows of 0 and 1: (values, nodes)."""
    rows = []
    for value in range(size):
        row, node = [0] * len(parents), len(parents) - size + value
        while node >= 0:
            row[node] = 1
            node = parents[node] - 1
        rows.append(row)
    return rows


def survey_of(parents, epsilon="1", **keys):
    """A survey with one question, `home`, of a tree by names."""
    return ldp.survey(
        "tree", ldp.question("home", parents=parents, epsilon=epsilon, **keys)
    )


REGIONS = {
    "Cork": "Ireland",
    "Dublin": "Ireland",
    "Lyon": "France",
    "Nice": "France",
    "Paris": "France",
    "Bern": "Switzerland",
    "Ireland": "union",
    "France": "union",
}
"""Three levels, of which the second has a value as well."""
