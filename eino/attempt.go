package toolwatch

import (
	"context"
	"sync"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

// Outcomes of an attempt.
const (
	attemptOK        = "ok"
	attemptFailed    = "tool_error"
	attemptInvalid   = "invalid_args"
	attemptPaused    = "interrupted"
	attemptCancelled = "cancelled"
)

// attempt is one run of a tool. mu is its run's, or its own where no graph runs.
type attempt struct {
	w         *watch
	mu        *sync.Mutex
	r         *run
	c         *call // nil when no tools node has said what was asked for
	key       string
	parentKey *string
	id        string
	tool      string
	place     place
	span      trace.Span
	started   time.Time
	finished  time.Time
	cause     string
	arguments string
	resume    *string

	streamed  bool // it has given its result away as a stream
	done      bool
	late      bool
	outcome   string
	failure   *wire.Failure
	interrupt string
	result    string
	hasResult bool
	parts     []wire.Part
	broken    string // why the result cannot become a message
}

func (w *watch) attemptStarted(
	ctx context.Context, f frame, info *callbacks.RunInfo, input *tool.CallbackInput,
) context.Context {
	a := &attempt{
		w: w, r: f.run, id: compose.GetToolCallID(ctx), tool: info.Name, started: time.Now(),
		cause: "first", resume: resumeValue(ctx),
	}
	if input != nil {
		a.arguments = input.ArgumentsInJSON
	}
	outer := ctx
	if a.r != nil {
		a.mu, outer = &a.r.mu, a.r.within(ctx)
	} else {
		a.mu = &sync.Mutex{}
	}
	inner, span := w.tracer.Start(outer, executeName(a.tool), trace.WithTimestamp(a.started))
	a.span = span
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c = callOf(f, a); a.c != nil {
		a.join()
	} else {
		a.alone(ctx, f)
	}
	w.began(a)
	w.sendStarted(a)
	return put(current(ctx, inner), frame{runID: f.runID, agent: f.agent, attempt: a}, info)
}

// current makes the attempt's span the one in which the tool's body runs, unless the program has decided not
// to trace this run: spans of its own below a traced one would be traced.
func current(ctx, inner context.Context) context.Context {
	if outer := trace.SpanContextFromContext(ctx); outer.IsValid() && !outer.IsSampled() {
		return ctx
	}
	return trace.ContextWithSpan(ctx, trace.SpanFromContext(inner))
}

func callOf(f frame, a *attempt) *call {
	if f.call != nil {
		return f.call
	}
	if f.batch == nil {
		return nil
	}
	return f.batch.find(a.id, a.tool, a.arguments, func(c *call) bool { return len(c.attempts) == 0 })
}

func (a *attempt) join() {
	c := a.c
	a.key, a.id, a.parentKey, a.place = c.key, c.id, a.r.parentKey(), c.b.place()
	switch {
	case len(c.attempts) > 0:
		a.cause = "wrapper_retry"
	case c.b.resumed:
		a.cause = "resume"
	}
	c.attempts = append(c.attempts, a)
}

// alone names an attempt that no tools node in a graph has started, by its span.
func (a *attempt) alone(ctx context.Context, f frame) {
	a.place = place{runID: f.runID, thread: threadOf(ctx), agent: f.agent}
	if f.attempt != nil {
		a.parentKey = &f.attempt.key
	}
	scope := a.place.thread
	if scope == "" {
		scope = f.runID
	}
	a.key = wire.Key(scope, a.spanID(), 0, a.id)
}

func (a *attempt) spanID() string { return a.span.SpanContext().SpanID().String() }

func resumeValue(ctx context.Context) *string {
	_, has, value := compose.GetResumeContext[any](ctx)
	if !has {
		return nil
	}
	return wire.Said(jsonOf(value))
}

func (a *attempt) returned(output *tool.CallbackOutput) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if output != nil && !a.done {
		a.took(resultOf(output))
	}
	a.finish(attemptOK, nil)
}

func (a *attempt) took(text string, parts []wire.Part, broken string) {
	a.result, a.hasResult, a.parts, a.broken = text, true, parts, broken
}

func (a *attempt) failed(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	outcome, failure := judge(err)
	if outcome == attemptPaused && !a.done {
		info, _ := compose.IsInterruptRerunError(err)
		a.interrupt = jsonOf(info)
	}
	a.finish(outcome, failure)
}

// handedOver says that the tool goes on as its stream is read.
func (a *attempt) handedOver() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done || a.streamed {
		return
	}
	a.streamed, a.finished = true, time.Now()
	if a.c == nil {
		a.finish("", nil)
	}
}

func (a *attempt) waiting() bool { return a.streamed && !a.done }

// finish sends the attempt once; an empty outcome is one that is not known. The caller holds mu.
func (a *attempt) finish(outcome string, failure *wire.Failure) {
	if a.done {
		return
	}
	a.done, a.outcome, a.failure = true, outcome, failure
	if outcome != "" || a.finished.IsZero() {
		a.finished = time.Now()
	}
	a.late = a.r != nil && a.r.end != nil && a.r.over
	a.w.over(a)
	a.w.sendAttempt(a)
}
