"""`ldp demo`: the first minute."""

from __future__ import annotations

from importlib.util import find_spec

import click


@click.command()
@click.option("--terminal", is_flag=True, help="Draw it here, without a browser.")
def demo(*, terminal: bool) -> None:
    """Answer a question, and see what randomized response does to it.

    Your browser opens. 1,000 made-up people answer as well, and you choose epsilon.
    Nothing leaves this computer, or is kept on it.
    """
    if terminal or find_spec("uvicorn") is None:
        from ldp_simulations.demo.terminal import show_in_terminal

        show_in_terminal()
        return
    from ldp_simulations.demo.website import serve_demo

    serve_demo()
