"""Pictures as files, drawn without a screen, whose want costs no result."""

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from scripts.whole_files import write_whole

HOW_TO_PLOT = "pip install -e '.[plots]'"


class NoPictureError(Exception):
    """There are no pictures; the message says why, as what follows "as"."""


@contextmanager
def drawing(style: Mapping[Any, Any] | None = None) -> Iterator[None]:
    """Lets matplotlib draw in a style, whatever the user's settings and terminal are.

    What needs matplotlib is imported and called within.

    Raises:
      NoPictureError: matplotlib is not there, or something goes wrong within; nothing else but what
        ends the process.
    """
    try:
        with _without_backend():
            import matplotlib as mpl
        with warnings.catch_warnings(), mpl.rc_context():
            warnings.simplefilter("ignore")
            mpl.rcdefaults()
            mpl.rcParams.update(style or {})
            yield
    except NoPictureError:  # of another such block within
        raise
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise NoPictureError(f"matplotlib does not work ({error})") from error
        raise NoPictureError(f"matplotlib is not installed: {HOW_TO_PLOT}") from error
    except Exception as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise NoPictureError(f"they cannot be drawn or written ({why})") from error


@contextmanager
def _without_backend() -> Iterator[None]:
    """Takes away the name of a backend, which matplotlib reads when it is first imported.

    That of a notebook is handed down to commands that are called there, where it is not installed.
    """
    before = None if "matplotlib" in sys.modules else os.environ.pop("MPLBACKEND", None)
    try:
        yield
    finally:
        if before is not None:
            os.environ["MPLBACKEND"] = before


def as_png(figure: Any, dpi: int, **metadata: Any) -> bytes:
    """A figure of matplotlib as the content of a file. It may lay it out a bit differently."""
    content = BytesIO()
    figure.savefig(content, format="png", backend="agg", dpi=dpi, metadata=metadata)
    return content.getvalue()


def as_svg(figure: Any, **metadata: Any) -> bytes:
    """A figure of matplotlib as the content of a file. It may lay it out a bit differently."""
    content = BytesIO()
    figure.savefig(content, format="svg", backend="svg", metadata=metadata)
    return content.getvalue()


def write_pictures(folder: Path, pictures: Mapping[str, Mapping[str, bytes]]) -> list[Path]:
    """Writes pictures in place of older ones, when all of them are drawn.

    Args:
      folder: where; it is made if it is missing.
      pictures: their files by the ends of their names, by name.

    Raises:
      OSError: one cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        folder / f"{name}{end}": file for name, one in pictures.items() for end, file in one.items()
    }
    for path, content in files.items():
        write_whole(path, content)
    return list(files)
