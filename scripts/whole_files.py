"""Texts and bytes as files that are there whole or not at all."""

from pathlib import Path

from marjolet_spiel.whole_files import replacing


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file in place of what is there, which stays until the new one is on disk.

    Args:
      path: the file; its folder must be there.
      content: bytes, or text; it is written as UTF-8, with escapes for halves of characters.

    Raises:
      OSError: it cannot be written; nothing has changed then.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    with replacing(path, durable=True) as file:
        file.write(data)
