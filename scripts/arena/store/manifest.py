"""What the folder of a store says of itself: its plan, and what made it."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import numpy as np

import marjolet_spiel
from bots.registry import parse_spec
from bots.registry.imported import is_import_path, module_digest
from marjolet_spiel import RULES_VERSION
from scripts.arena.plan.config import Config, config_of
from scripts.arena.plan.pairings import Plan

STORE_VERSION = 1
MANIFEST = "manifest.json"


class StoreError(Exception):
    """A store cannot be used; the message is one sentence that says why."""


def versions(config: Config) -> dict[str, str]:
    """The versions of what results depend on; of the bots of others a digest of their file."""
    names = [parse_spec(bot).name for bot in config.bots]
    return {
        "marjolet_spiel": marjolet_spiel.__version__,
        "open_spiel": metadata.version("open_spiel"),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
        **{name: module_digest(name) for name in names if is_import_path(name)},
    }


def manifest_of(plan: Plan, command: Sequence[str], made_by: Mapping[str, str]) -> dict[str, Any]:
    """What the manifest of a store says, made by some versions."""
    return {
        "store_version": STORE_VERSION,
        "plan_hash": plan.hash,
        "rules_version": RULES_VERSION,
        "config": asdict(plan.config),
        "versions": dict(made_by),
        "command": list(command),
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a store, with at least a plan hash, a configuration and versions.

    Raises:
      StoreError: there is none, or it is something else.
      OSError: it cannot be read.
    """
    path = folder / MANIFEST
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found["plan_hash"], found["config"], dict(found["versions"])
    except (ValueError, KeyError, TypeError):
        raise StoreError(f"{path}: this is no manifest of a tournament") from None
    return found


def plan_of(folder: Path) -> Plan:
    """The plan of the store in a folder; StoreError if there is none."""
    try:
        found = read_manifest(folder)
    except OSError as error:
        raise StoreError(f"{folder}: is no store ({error.strerror or error})") from None
    try:
        plan = Plan(config_of(found["config"]))
        same = plan.hash == found["plan_hash"]
    except (TypeError, KeyError):
        same = False
    if not same:
        raise StoreError(
            f"{folder}: its configuration does not give its plan {found['plan_hash']}; it was made "
            "by another version, or changed by hand"
        )
    return plan
