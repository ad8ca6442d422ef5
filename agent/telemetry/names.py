"""Every span name and attribute name of Zaiko's traces.

GenAI names follow the OpenTelemetry semantic conventions for generative AI, which are in
development (the constants of the published package are deprecated, hence own ones):
https://github.com/open-telemetry/semantic-conventions-genai
"""

AGENT = "zaiko"

# Span names.
ROOT = f"invoke_agent {AGENT}"
GATE = "gate"
DECOMPOSE = "decompose"
PLAN = f"plan {AGENT}"
ACT = "act"
REFLECT = "reflect"
ANSWER = "answer"
VERIFY = "verify"
DELIVER = "deliver"
HAND_OFF = "hand_off"
AWAIT_PERSON = "await_person"
RESOLVE = "resolve"
CHAT = "chat {model}"
EXECUTE_TOOL = "execute_tool {tool}"
RETRIEVAL = "retrieval {kb}"

NODE_SPANS = (
    GATE,
    DECOMPOSE,
    PLAN,
    ACT,
    REFLECT,
    ANSWER,
    VERIFY,
    DELIVER,
    HAND_OFF,
    AWAIT_PERSON,
    RESOLVE,
)
SPAN_NAMES = (ROOT, *NODE_SPANS, CHAT, EXECUTE_TOOL, RETRIEVAL)

# Attributes: GenAI.
OPERATION_NAME = "gen_ai.operation.name"
PROVIDER_NAME = "gen_ai.provider.name"
AGENT_NAME = "gen_ai.agent.name"
CONVERSATION_ID = "gen_ai.conversation.id"
TOOL_NAME = "gen_ai.tool.name"
TOOL_CALL_ID = "gen_ai.tool.call.id"
DATA_SOURCE_ID = "gen_ai.data_source.id"
REQUEST_MODEL = "gen_ai.request.model"
REQUEST_MAX_TOKENS = "gen_ai.request.max_tokens"
RESPONSE_MODEL = "gen_ai.response.model"
RESPONSE_FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
CACHED_INPUT_TOKENS = "gen_ai.usage.cache_read.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
ERROR_TYPE = "error.type"

# Attributes: Zaiko's own.
NODE = "zaiko.node"
SUB_TASK = "zaiko.sub_task"
EVIDENCE_IDS = "zaiko.evidence_ids"
CONFIDENCE = "zaiko.confidence"
STATUS = "zaiko.status"
KB = "zaiko.kb"
HITS = "zaiko.hits"
DATA_REVISION = "zaiko.data_revision"
HANDOFF_ID = "zaiko.handoff_id"

# Attributes that carry what people and models wrote; kept only when `telemetry.content` is on.
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions"
TOOL_CALL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_CALL_RESULT = "gen_ai.tool.call.result"
QUERY_TEXT = "gen_ai.retrieval.query.text"
DOCUMENTS = "gen_ai.retrieval.documents"
QUESTION = "zaiko.question"
ANSWER_TEXT = "zaiko.answer"

CONTENT = frozenset(
    {
        INPUT_MESSAGES,
        OUTPUT_MESSAGES,
        SYSTEM_INSTRUCTIONS,
        TOOL_CALL_ARGUMENTS,
        TOOL_CALL_RESULT,
        QUERY_TEXT,
        DOCUMENTS,
        QUESTION,
        ANSWER_TEXT,
    }
)
