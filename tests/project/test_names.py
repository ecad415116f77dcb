"""Functions are verbs or nouns, and docstrings begin with one."""

import ast
import re
from functools import cache

from places import ROOT

PRODUCT = ("ldp", "client/ldp_client", "aggregator", "simulations")
PARTICIPLE = re.compile(
    r"_?(\w+ed|shown|drawn|told|given|made|found|kept|held|sent|said|known|seen|taken|written|"
    r"chosen|put)"
)
CLAUSE = re.compile(
    r"(The same|That of|Those|Of|What|Who|Whom|Whose|It|This|These|As|Until)\b"
)
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def nodes():
    paths = (path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    return [node for tree in trees for node in ast.walk(tree)]


def test_few_functions_are_participles():
    """Those that are left are predicates, words of protocols and documented names."""
    names = [node.name for node in nodes() if isinstance(node, FUNCTION)]
    assert sum(bool(PARTICIPLE.fullmatch(name)) for name in names) <= 74


def test_docstrings_begin_with_a_verb_or_a_noun():
    documented = [
        one for one in nodes() if isinstance(one, FUNCTION | ast.ClassDef | ast.Module)
    ]
    texts = [text for text in map(ast.get_docstring, documented) if text]
    assert sum(bool(CLAUSE.match(text)) for text in texts) <= 0.03 * len(texts)
