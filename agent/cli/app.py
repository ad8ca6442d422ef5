"""The commands, by what they are for."""

import typer

from agent.cli import ask, batch, data, diagnose, handoff, ingest, pairs, tools

app = typer.Typer(
    name="zaiko",
    help="Answers inventory and sales questions from your own tables and documents, with proof.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="Every command takes --json and --data-dir; --debug shows tracebacks.",
)
app.command("ingest")(ingest.ingest)
app.command("rollback")(ingest.rollback)
app.add_typer(ingest.index, name="index")
app.command("tables")(data.tables)
app.command("documents")(data.documents)
app.command("ask")(ask.ask)
app.command("batch")(batch.batch)
app.command("search")(tools.search)
app.command("sql")(tools.sql)
app.command("calc")(tools.calc)
app.command("dates")(tools.dates)
app.command("verify")(tools.verify)
app.add_typer(handoff.app, name="handoff")
app.add_typer(pairs.app, name="pairs")
app.command("trace")(diagnose.trace)
app.command("doctor")(diagnose.doctor)
