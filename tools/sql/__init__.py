"""SQL over the warehouse: a guard that checks, a worker that can be killed, the tool over both.

Import from the modules (`tools.sql.tool`, `tools.sql.settings`): the worker process starts inside
this package and must stay light.
"""
