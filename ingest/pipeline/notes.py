"""Workbooks that hold notes beside their tables: one file, entered as both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ingest.pipeline.draft import Draft
from ingest.store.manifest import FileEntry
from ingest.sync import Change, Plan


def with_notes(plan: Plan, draft: Draft, kb: str, notes: Mapping[str, bool]) -> Plan:
    """The plan with a document for each workbook of this run that holds notes.

    `notes`: the path of each table file that was taken in, and whether it holds any. The document
    follows its workbook: where that goes, the document goes, and without notes it is removed.
    """
    extended = replace(plan, changed=[*plan.changed], moved=[*plan.moved], deleted=[*plan.deleted])
    for change in plan.changes("table"):
        _follow_change(extended, draft, kb, change, notes)
    for change in plan.moves("table"):
        old = _document(draft, kb, change.old.path) if change.old else None
        if old is not None:
            extended.moved.append(Change(replace(change.found, kind="document"), old))
    for entry in plan.deletions("table"):
        old = _document(draft, kb, entry.path)
        if old is not None:
            extended.deleted.append(old)
    return extended


def _follow_change(
    plan: Plan, draft: Draft, kb: str, change: Change, notes: Mapping[str, bool]
) -> None:
    path = str(change.found.path)
    old = _document(draft, kb, path)
    if path not in notes:
        return  # its tables failed: the file stays as it was
    if notes[path]:
        plan.changed.append(Change(replace(change.found, kind="document"), old))
    elif old is not None:
        plan.deleted.append(old)


def _document(draft: Draft, kb: str, path: str) -> FileEntry | None:
    return draft.entries.get((kb, path))
