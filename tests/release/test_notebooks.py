"""The notebooks run from the top to the bottom, and show pictures."""

import sys

import pytest
from places import ROOT

NOTEBOOKS = [
    ROOT / "examples" / "notebooks" / f"{name}.ipynb" for name in ("survey", "epsilon")
]


@pytest.mark.filterwarnings("default")  # the machinery of notebooks has some of its own
def test_notebooks_run():
    """One after the other in one kernel, as starting one takes longer than all they do.

    None is kept with its output, which would be of some other day.
    """
    import nbclient
    import nbformat

    assert sorted(NOTEBOOKS) == sorted(NOTEBOOKS[0].parent.glob("*.ipynb"))
    first, second = (nbformat.read(path, as_version=4) for path in NOTEBOOKS)
    for notebook in (first, second):
        assert not any(cell.get("outputs") for cell in notebook.cells)
    both = nbformat.v4.new_notebook(cells=first.cells + second.cells)
    client = nbclient.NotebookClient(both, timeout=300, kernel_name="python3")
    # Whatever kernels this machine has: this Python's.
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable
    client.execute()
    outputs = [output for cell in both.cells for output in cell.get("outputs", ())]
    shown = [output["data"] for output in outputs if "data" in output]
    assert sum("image/png" in data for data in shown) == 2
    (estimates,) = (data["text/html"] for data in shown if "text/html" in data)
    assert estimates.count("<tr>") == 2 + 4 + 2
    assert (
        '<img alt="trip: estimates with ranges" src="data:image/svg+xml;base64,'
        in estimates
    )
