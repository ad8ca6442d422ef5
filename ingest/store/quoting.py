"""Names as SQL has them."""


def quoted(name: str) -> str:
    """A name in double quotes, those within it doubled."""
    return '"' + name.replace('"', '""') + '"'
