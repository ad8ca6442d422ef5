"""Options of the whole test run."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--documents",
        metavar="DIR",
        help="folder of public test documents, which the project does not hold",
    )
