"""Which flag keeps a run from going on with results that are there."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_settings(path: Path) -> dict[str, Any]:
    """The values of flags, by their names, from a file of JSON in a folder of results.

    Raises:
      ValueError: it is damaged or cannot be read.
    """
    try:
        fields: dict[str, Any] = dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        why = getattr(error, "strerror", None) or f"it is damaged: {error}"
        raise ValueError(f"--output: {path} cannot be read ({why})") from None
    return fields


def check_settings(folder: Path, there: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Compares what made the results in a folder with what is asked for.

    Args:
      folder: the folder.
      there: the values of flags, by their names, with which the results there were made.
      wanted: those that are asked for now.

    Raises:
      ValueError: one is another; the message names the first such flag and says what to do.
    """
    for name, value in wanted.items():
        if there.get(name) != value:
            raise ValueError(
                f"--{name}: the results in {folder} were made with {_shown(there.get(name))}, not "
                f"with {_shown(value)}; give it as it was, or choose another --output"
            )


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    words = value if isinstance(value, list | tuple) else [value]
    return " ".join(map(str, words)) or "nothing"
