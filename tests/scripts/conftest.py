"""Fixtures of more than one folder."""

from tests.scripts.kept_guard import kept_guard, one_process

__all__ = ["kept_guard", "one_process"]
