"""The cheapest question that would settle what a run could not: for the person who takes it."""

from collections.abc import Mapping, Sequence

from agent.language import language_of
from agent.state import State

_TEXTS = {
    "figure": {
        "ja": "「{what}」は正しいですか。正しい値と出どころは何ですか。",
        "en": "Is “{what}” right, and where is the right value recorded?",
        "zh": "“{what}”是否正确？正确的值记录在哪里？",
    },
    "where": {
        "ja": "「{what}」はどの表またはどの文書に記録されていますか。",
        "en": "Which table or document records “{what}”?",
        "zh": "“{what}”记录在哪张表或哪份文件中？",
    },
    "reading": {
        "ja": "質問の解釈は「{what}」で正しいですか。",
        "en": "Is this the right reading of the question: “{what}”?",
        "zh": "问题的理解是否为“{what}”？",
    },
}


def cheapest_question(state: State, doubts: Sequence[Mapping[str, str]]) -> str:
    """One unsupported figure, else where the missing thing is recorded, else the reading."""
    language = language_of(state["question"])
    found = state.get("verification") or {}
    faults = [*found.get("contradicted", []), *found.get("unsupported", [])]
    if faults:
        return _TEXTS["figure"][language].format(what=faults[0]["text"])
    failed = [t for t in state.get("sub_tasks", []) if t.state != "done"]
    if failed or doubts:
        what = failed[0].task if failed else state["reading"]
        return _TEXTS["where"][language].format(what=what)
    return _TEXTS["reading"][language].format(what=state["reading"])
