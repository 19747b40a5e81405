// Package names holds the names of the attributes that are sent: the same list as the Python
// collector's conventions.py, which a test of the project compares with this one.
package names

const (

	// OpenTelemetry GenAI semantic conventions.
	Operation         = "gen_ai.operation.name"
	Provider          = "gen_ai.provider.name"
	RequestModel      = "gen_ai.request.model"
	RequestMaxTokens  = "gen_ai.request.max_tokens"
	ResponseModel     = "gen_ai.response.model"
	FinishReasons     = "gen_ai.response.finish_reasons"
	InputTokens       = "gen_ai.usage.input_tokens"
	OutputTokens      = "gen_ai.usage.output_tokens"
	ConversationID    = "gen_ai.conversation.id"
	AgentName         = "gen_ai.agent.name"
	ToolName          = "gen_ai.tool.name"
	ToolType          = "gen_ai.tool.type"
	ToolDescription   = "gen_ai.tool.description"
	ToolCallID        = "gen_ai.tool.call.id"
	ToolCallArguments = "gen_ai.tool.call.arguments"
	ToolCallResult    = "gen_ai.tool.call.result"
	ErrorType         = "error.type"
	ThreadName        = "thread.name"

	EventException      = "exception"
	ExceptionType       = "exception.type"
	ExceptionMessage    = "exception.message"
	ExceptionStacktrace = "exception.stacktrace"

	ExecuteTool = "execute_tool"
	Chat        = "chat"
	InvokeAgent = "invoke_agent"

	// What kind of record a span is.
	Record        = "toolwatch.record"
	RecordRun     = "run"
	RecordTurn    = "turn"
	RecordStep    = "step"
	RecordAttempt = "attempt"
	RecordStarted = "started"
	RecordAlive   = "alive"

	// Where a record belongs.
	Framework = "toolwatch.framework"
	RunID     = "toolwatch.run.id"
	Node      = "toolwatch.node"
	Step      = "toolwatch.step"
	Task      = "toolwatch.task"

	// One call, on records of one attempt.
	CallKey            = "toolwatch.call.key"
	Position           = "toolwatch.call.position"
	ParentKey          = "toolwatch.call.parent_key"
	IDAbsent           = "toolwatch.call.id_absent" // "null" or "empty": the model gave no usable id
	AttemptCause       = "toolwatch.attempt.cause"
	AttemptOutcome     = "toolwatch.attempt.outcome"
	AttemptLate        = "toolwatch.attempt.late"
	BodyRan            = "toolwatch.attempt.body_ran"
	StartedSpanID      = "toolwatch.attempt.span_id"
	HandledBy          = "toolwatch.handled_by"
	ArgumentsValidated = "toolwatch.arguments.validated"
	ArgumentsInjected  = "toolwatch.arguments.injected"
	ArgumentsProblems  = "toolwatch.arguments.problems"
	ArgumentsBytes     = "toolwatch.arguments.bytes"
	ResultBytes        = "toolwatch.result.bytes"
	ResultStatus       = "toolwatch.result.status"
	ResultParts        = "toolwatch.result.parts"
	InterruptValue     = "toolwatch.interrupt.value"
	ResumeValue        = "toolwatch.resume.value"
	Redactions         = "toolwatch.redactions"
	ContentCaptured    = "toolwatch.content_captured"

	// Several calls at once, on records of a turn, a step or a run (JSON texts).
	MessageID  = "toolwatch.message.id"
	GroupSize  = "toolwatch.group.size"
	GroupID    = "toolwatch.group.id"
	Requests   = "toolwatch.requests"
	Seen       = "toolwatch.seen"
	Dispatches = "toolwatch.dispatches"
	Answers    = "toolwatch.answers"
	Orphans    = "toolwatch.orphans"
	Outcome    = "toolwatch.outcome" // of the step or the run
	Calls      = "toolwatch.calls"   // keys of calls

	// The collector about itself.
	Dropped      = "toolwatch.dropped" // records that a full queue refused, since the last report
	MissingHooks = "toolwatch.missing_hooks"
)
