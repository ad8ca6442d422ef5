"""The knowledge-search tool: passages of the company's documents, with proof of where.

Import from the modules (`tools.knowledge.search`, `tools.knowledge.settings`): the settings tree
must stay light.
"""
