"""How a service is told what to do: flags, the environment, and a file.

    flag           --least-reports 50       each goes before what stands below it
    environment    LDP_SERVE_LEAST_REPORTS=50
    file           least-reports = 50       in TOML, named by --config or LDP_SERVE_CONFIG

That is `ldp serve`; variables of another command begin with its own name:
LDP_RELAY_SERVE_PORT is the port of `ldp relay serve`. Every flag has the three forms,
and `surveys` stands for the files that are given without a flag. What may be given
several times is a list in the file; in the environment files stand with `:` between
them, and other texts with spaces. A name that means nothing, or a value that does not
fit, is refused by its name: a setting that is misspelled must not be one that is not
made.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

import click

from ldp_aggregator.commands.main import FILE_PATH
from ldp_aggregator.output.files import read_bytes, toml_in

PREFIX = "LDP_SERVE_"
SURVEYS = "surveys"
_MOST_BYTES = 1 << 20


def config_option(
    command: click.Command, wider: click.Command | None = None, prefix: str = PREFIX
) -> click.Command:
    """The command with `--config`, and with a variable of the environment for each
    flag.

    What is said for a `wider` command, and not for this one, is passed over. Variables
    begin with the `prefix`, which has to be no other command's.
    """
    option = click.Option(
        ["--config"],
        type=FILE_PATH,
        is_eager=True,
        expose_value=False,
        callback=partial(_read, wider, prefix),
        help="A TOML file with these flags, their names without the dashes.",
    )
    command.params.append(option)
    for name, parameter in settings_of(command).items():
        parameter.envvar = prefix + name.upper().replace("-", "_")
        if isinstance(parameter, click.Option):
            parameter.show_envvar = True
    option.envvar = f"{prefix}CONFIG"
    return command


def settings_of(command: click.Command) -> dict[str, click.Parameter]:
    """All that may be set, by the names of flags without dashes, but for the file
    itself.
    """
    named = {}
    for parameter in command.params:
        longest = max(parameter.opts, key=len).lstrip("-")
        name = longest if isinstance(parameter, click.Option) else SURVEYS
        if name not in ("config", "help"):
            named[name] = parameter
    return named


def _read(
    wider: click.Command | None,
    prefix: str,
    context: click.Context,
    _: click.Parameter,
    path: Path | None,
) -> None:
    """Check the environment, and take what the file says for defaults."""
    settings = settings_of(context.command)
    others = {}
    if wider is not None:
        others = settings_of(wider)
    variables = {name.upper().replace("-", "_") for name in settings | others} | {
        "CONFIG"
    }
    for variable in sorted(os.environ):
        own = variable.removeprefix(prefix)
        if variable.startswith(prefix) and own not in variables:
            raise click.UsageError(
                f"{variable}: no such setting{_near(own, variables, prefix)}"
            )
    if path is None:
        return
    defaults: dict[str, Any] = {}
    for name, value in _table(path).items():
        if name in others and name not in settings:
            continue
        if name not in settings:
            raise click.UsageError(
                f"{path}: {name}: no such setting{_near(name, settings)}"
            )
        parameter = settings[name]
        defaults[str(parameter.name)] = _fitting(
            context, parameter, value, place=f"{path}: {name}"
        )
    context.default_map = {**(context.default_map or {}), **defaults}


def _table(path: Path) -> Mapping[str, Any]:
    try:
        return toml_in(read_bytes(path, _MOST_BYTES))
    except ValueError as error:
        raise click.UsageError(
            f"{path}: expected TOML in UTF-8, got: {error}"
        ) from None


def _fitting(
    context: click.Context, parameter: click.Parameter, value: Any, place: str
) -> Any:
    """A value of the file, if it is one of the flag's. Raises `UsageError`, which names
    it.
    """
    several = getattr(parameter, "multiple", False) or parameter.nargs != 1
    if getattr(parameter, "is_flag", False):
        if not isinstance(value, bool):
            raise click.UsageError(f"{place}: expected true or false, got {value!r}")
        return value
    one = value
    if several and isinstance(value, str):
        one = [value]
    entries = one if isinstance(one, list) and several else [one]
    if not all(isinstance(entry, str | int | float) for entry in entries) or any(
        isinstance(entry, bool) for entry in entries
    ):
        kind = "texts" if several else "a text or a number"
        raise click.UsageError(f"{place}: expected {kind}, got {value!r}")
    texts = [str(entry) for entry in entries]
    try:
        for text in texts:
            parameter.type.convert(text, parameter, context)
    except click.BadParameter as error:
        raise click.UsageError(f"{place}: {error.message}") from None
    if several:
        return texts
    return texts[0]


def _near(name: str, known: Iterable[str], prefix: str = "") -> str:
    near = get_close_matches(name, sorted(known), n=1)
    if near:
        return f"; did you mean {prefix}{near[0]}?"
    return ""
