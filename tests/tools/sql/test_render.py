"""Rows as the model sees them."""

import pytest

from tools.sql.render import cell_text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (28612946.784182724, "28612946.78"),
        (28.833896091428574, "28.8339"),
        (46.0, "46"),
        (1000.0, "1000"),
        (0.24911389885176904, "0.249114"),
        (0.0, "0"),
        (-3.5, "-3.5"),
        (None, "NULL"),
        ("12.50", "12.50"),
        (7, "7"),
    ],
)
def test_a_float_is_short_enough_to_be_copied(value: float | str | None, shown: str) -> None:
    assert cell_text(value) == shown
