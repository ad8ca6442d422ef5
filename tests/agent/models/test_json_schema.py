"""Preparing schemas for a grammar and checking values against them."""

from enum import StrEnum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from agent.models.json_schema import compact, problem


class Unit(StrEnum):
    DAY = "day"
    MONTH = "month"


class Claim(BaseModel):
    text: str
    evidence_ids: list[str] = Field(min_length=1, max_length=2)


class Draft(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str = Field(max_length=5, description="a property that is named like a keyword")
    claims: list[Claim]
    unit: Unit | None = None
    kind: Literal["a", "b"] = "a"
    top: int = Field(default=5, ge=1, le=20)


SCHEMA = compact(Draft.model_json_schema())
GOOD: dict[str, Any] = {"title": "T", "claims": [{"text": "t", "evidence_ids": ["E1"]}]}


def test_references_are_replaced_and_annotations_dropped() -> None:
    text = str(SCHEMA)
    assert "$ref" not in text and "$defs" not in text and "description" not in text
    assert SCHEMA["properties"]["claims"]["items"]["required"] == ["text", "evidence_ids"]


def test_the_order_of_properties_is_kept() -> None:
    assert list(SCHEMA["properties"]) == ["title", "claims", "unit", "kind", "top"]


def test_a_property_named_like_an_annotation_survives() -> None:
    assert SCHEMA["properties"]["title"] == {"maxLength": 5, "type": "string"}


def test_a_recursive_schema_is_refused() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    with pytest.raises(ValueError, match="recursive"):
        compact({"$ref": "#/$defs/Node", "$defs": {"Node": node}})


def test_an_unknown_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="Nowhere"):
        compact({"$ref": "#/$defs/Nowhere"})


def test_a_good_value_has_no_problem() -> None:
    assert problem(SCHEMA, GOOD) is None
    assert problem(SCHEMA, {**GOOD, "unit": "day", "top": 20}) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": 1}, "title must be string"),
        ({"title": "too long"}, "title must have at most 5 characters"),
        ({"claims": {}}, "claims must be array"),
        ({"claims": [{"text": "t"}]}, "claims[0].evidence_ids is missing"),
        ({"claims": [{"text": "t", "evidence_ids": []}]}, "at least 1 items"),
        ({"claims": [{"text": "t", "evidence_ids": ["a", "b", "c"]}]}, "at most 2 items"),
        ({"claims": [{"text": "t", "evidence_ids": [1]}]}, "evidence_ids[0] must be string"),
        ({"unit": "week"}, "unit must be one of 'day', 'month'"),
        ({"kind": "c"}, "kind must be one of 'a', 'b'"),
        ({"top": 0}, "top must be between 1 and 20"),
        ({"top": True}, "top must be integer"),
        ({"top": 1.5}, "top must be integer"),
        ({"more": 1}, "more is not a known field"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(change: dict[str, Any], words: str) -> None:
    assert words in (problem(SCHEMA, {**GOOD, **change}) or "no problem")


def test_a_missing_field_of_the_object_itself_is_named() -> None:
    assert problem(SCHEMA, {"title": "T"}) == "claims is missing"
    assert problem(SCHEMA, []) == "the object must be object"
