"""The catalog on disk, as ingest drafted it."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import ValidationError

from ingest.store.errors import StoreBroken
from ingest.store.records import Catalog


def load_catalog(path: Path) -> Catalog:
    """A generation's catalog. Raises `StoreBroken` when it is missing or damaged."""
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        return Catalog.model_validate(data)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise StoreBroken(
            f"The catalog {path} cannot be read ({reason}).",
            "Run `zaiko rollback` or ingest again.",
        ) from error


def dump_catalog(catalog: Catalog, path: Path) -> None:
    """Writes the catalog as YAML, in the order of its fields."""
    data = catalog.model_dump(mode="json")
    text = yaml.dump(data, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=200)
    path.write_text(text, encoding="utf-8")
