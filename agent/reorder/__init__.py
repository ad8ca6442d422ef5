"""What to order: the one question of several queries and a calculation that is planned by rule.

A small model can write neither the queries nor the call; the catalog has them. A question is taken
for one only where every word of it is understood: what is not is left to the model.
"""

from agent.reorder.calls import calls_by_rule
from agent.reorder.tasks import rule_tasks
from agent.reorder.tell import told

__all__ = ["calls_by_rule", "rule_tasks", "told"]
