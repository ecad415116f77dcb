"""What a page breaks of WCAG 2.2 AA and of good practice, by axe-core, in a browser
that shows it.

axe-core comes with `npm ci` in `client/js`; tests of it need "axe-core".
"""

from places import ROOT

_AXE = ROOT / "client" / "js" / "node_modules" / "axe-core" / "axe.min.js"
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_LOOK = """
const rules = { runOnly: { type: 'tag', values: arguments[0] } };
window.violated = undefined;
axe.run(document, rules).then(
  (result) => {
    window.violated = result.violations.map(
      (rule) => `${rule.id}: ${rule.nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`,
    );
  },
  (error) => {
    window.violated = [String(error)];
  },
);
"""


def broken(chromium):
    """The rules that the page breaks, each with the elements that do; with everything
    opened.
    """
    chromium.run(
        "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
    )
    chromium.devtools("Runtime.evaluate", expression=_AXE.read_text(encoding="utf-8"))
    chromium.run(_LOOK, _RULES)
    [violated] = chromium.wait("return window.violated && [window.violated]")
    return violated
