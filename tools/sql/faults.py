"""What sqlglot raises, besides its own errors, on some malformed or unusual input."""

from sqlglot.errors import SqlglotError

PARSER_FAULTS = (SqlglotError, RecursionError, AttributeError, TypeError, ValueError, KeyError)
