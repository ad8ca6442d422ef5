"""Prompts: Markdown files beside this loader, rendered strictly (a missing variable fails)."""

from functools import cache
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined


def _source(name: str) -> str:
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )


def prompt(name: str, **values: object) -> str:
    """The prompt `name`.md with its variables filled in."""
    return _environment().get_template(name).render(**values).strip()


@cache
def prompt_hash() -> str:
    """SHA-256 (12 digits) over all prompt files: part of an answer's audit."""
    names = sorted(p.name for p in files(__package__).iterdir() if p.name.endswith(".md"))
    return sha256("\0".join(_source(n[:-3]) for n in names).encode()).hexdigest()[:12]
