"""Names of the attributes we emit: the whole contract between a collector and a server.

Names under ``gen_ai.`` and ``error.`` are OpenTelemetry's GenAI semantic conventions. What those
conventions lack stands under ``toolwatch.``. Shapes of the JSON values are in docs/wire.md.
"""

from typing import Final

# --- OpenTelemetry GenAI semantic conventions
OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
REQUEST_MAX_TOKENS: Final = "gen_ai.request.max_tokens"
RESPONSE_MODEL: Final = "gen_ai.response.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
AGENT_NAME: Final = "gen_ai.agent.name"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
TOOL_DESCRIPTION: Final = "gen_ai.tool.description"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
TOOL_CALL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_CALL_RESULT: Final = "gen_ai.tool.call.result"
ERROR_TYPE: Final = "error.type"
THREAD_NAME: Final = "thread.name"

EVENT_EXCEPTION: Final = "exception"
EXCEPTION_TYPE: Final = "exception.type"
EXCEPTION_MESSAGE: Final = "exception.message"
EXCEPTION_STACKTRACE: Final = "exception.stacktrace"

EXECUTE_TOOL: Final = "execute_tool"
CHAT: Final = "chat"
INVOKE_AGENT: Final = "invoke_agent"

# --- what kind of record a span is
RECORD: Final = "toolwatch.record"
RECORD_RUN: Final = "run"
RECORD_TURN: Final = "turn"
RECORD_STEP: Final = "step"
RECORD_ATTEMPT: Final = "attempt"
RECORD_STARTED: Final = "started"
RECORD_ALIVE: Final = "alive"

# --- where a record belongs
FRAMEWORK: Final = "toolwatch.framework"
RUN_ID: Final = "toolwatch.run.id"
NODE: Final = "toolwatch.node"
STEP: Final = "toolwatch.step"
TASK: Final = "toolwatch.task"

# --- one call, on records of one attempt
CALL_KEY: Final = "toolwatch.call.key"
PARENT_KEY: Final = "toolwatch.call.parent_key"
ID_ABSENT: Final = "toolwatch.call.id_absent"  # "null" or "empty": the model gave no usable id
ATTEMPT_CAUSE: Final = "toolwatch.attempt.cause"
ATTEMPT_OUTCOME: Final = "toolwatch.attempt.outcome"
ATTEMPT_LATE: Final = "toolwatch.attempt.late"
BODY_RAN: Final = "toolwatch.attempt.body_ran"
POSITION: Final = "toolwatch.call.position"
GROUP_SIZE: Final = "toolwatch.group.size"
STARTED_SPAN_ID: Final = "toolwatch.attempt.span_id"
HANDLED_BY: Final = "toolwatch.handled_by"
ARGUMENTS_VALIDATED: Final = "toolwatch.arguments.validated"
ARGUMENTS_INJECTED: Final = "toolwatch.arguments.injected"
ARGUMENTS_PROBLEMS: Final = "toolwatch.arguments.problems"
ARGUMENTS_BYTES: Final = "toolwatch.arguments.bytes"
RESULT_BYTES: Final = "toolwatch.result.bytes"
RESULT_STATUS: Final = "toolwatch.result.status"
RESULT_PARTS: Final = "toolwatch.result.parts"
INTERRUPT_VALUE: Final = "toolwatch.interrupt.value"
RESUME_VALUE: Final = "toolwatch.resume.value"
REDACTIONS: Final = "toolwatch.redactions"
CONTENT_CAPTURED: Final = "toolwatch.content_captured"

# --- several calls at once, on records of a turn, a step or a run (JSON texts)
MESSAGE_ID: Final = "toolwatch.message.id"
GROUP_ID: Final = "toolwatch.group.id"
REQUESTS: Final = "toolwatch.requests"
SEEN: Final = "toolwatch.seen"
DISPATCHES: Final = "toolwatch.dispatches"
ANSWERS: Final = "toolwatch.answers"
ORPHANS: Final = "toolwatch.orphans"
OUTCOME: Final = "toolwatch.outcome"  # of the step or the run
CALLS: Final = "toolwatch.calls"  # keys of calls

# --- the collector about itself
DROPPED: Final = "toolwatch.dropped"  # records that a full queue refused, since the last report
MISSING_HOOKS: Final = "toolwatch.missing_hooks"
