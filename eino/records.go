package toolwatch

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolwatch/toolwatch/eino/internal/names"
	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

// place is where in an agent a record belongs.
type place struct{ runID, thread, agent, node, task string }

func (p place) attributes(record string) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String(names.Record, record),
		attribute.String(names.Framework, "eino"),
	}
	said := map[string]string{
		names.RunID: p.runID, names.ConversationID: p.thread, names.AgentName: p.agent, names.Node: p.node,
		names.Task: p.task,
	}
	for name, value := range said {
		if value != "" {
			all = append(all, attribute.String(name, value))
		}
	}
	return all
}

// sendStarted tells of an attempt before the body of its tool runs.
func (w *watch) sendStarted(a *attempt) {
	w.pipe.Do(func() {
		l := w.ledger()
		attributes := append(a.opening(l, names.RecordStarted), attribute.String(names.StartedSpanID, a.spanID()))
		attributes = append(append(attributes, a.asked()...), l.marks()...)
		parent := trace.ContextWithSpan(context.Background(), a.span)
		_, span := w.tracer.Start(parent, executeName(a.tool),
			trace.WithTimestamp(a.started), trace.WithAttributes(attributes...))
		span.End(trace.WithTimestamp(a.started))
	})
}

// asked is where in which message the call was asked for, since the record of that may be lost.
func (a *attempt) asked() []attribute.KeyValue {
	if a.c == nil {
		return nil
	}
	b := a.c.b
	all := []attribute.KeyValue{
		attribute.Int(names.Position, a.c.position),
		attribute.String(names.GroupID, b.group),
		attribute.Int(names.GroupSize, len(b.calls)),
	}
	if b.message.id != "" {
		all = append(all, attribute.String(names.MessageID, b.message.id))
	}
	return all
}

// opening is what is known of an attempt when it begins.
func (a *attempt) opening(l *ledger, record string) []attribute.KeyValue {
	all := append(a.place.attributes(record),
		attribute.String(names.Operation, names.ExecuteTool),
		attribute.String(names.ToolName, a.tool),
		attribute.String(names.ToolType, "function"),
		attribute.String(names.CallKey, a.key),
		attribute.String(names.AttemptCause, a.cause),
		attribute.Int(names.ArgumentsBytes, len(a.arguments)),
	)
	if a.id == "" {
		all = append(all, attribute.String(names.IDAbsent, "empty"))
	} else {
		all = append(all, attribute.String(names.ToolCallID, a.id))
	}
	if a.parentKey != nil {
		all = append(all, attribute.String(names.ParentKey, *a.parentKey))
	}
	if l.names {
		return append(all, attribute.Bool(names.ContentCaptured, false))
	}
	all = append(all, attribute.String(names.ToolCallArguments, l.json("arguments", "", a.arguments)))
	if a.resume != nil {
		all = append(all, attribute.String(names.ResumeValue, l.json("resume", "", *a.resume)))
	}
	return all
}

func (w *watch) sendAttempt(a *attempt) {
	w.pipe.Do(func() {
		l := w.ledger()
		all := append(a.opening(l, names.RecordAttempt), attribute.Bool(names.BodyRan, a.outcome != attemptInvalid))
		if a.outcome != "" {
			all = append(all, attribute.String(names.AttemptOutcome, a.outcome))
		}
		if a.late {
			all = append(all, attribute.Bool(names.AttemptLate, true))
		}
		all = append(all, a.outcomeOf(l)...)
		if a.failure != nil {
			l.fail(a.span, "", *a.failure)
		}
		a.span.SetAttributes(append(all, l.marks()...)...)
		a.span.End(trace.WithTimestamp(a.finished))
	})
}

func (a *attempt) outcomeOf(l *ledger) []attribute.KeyValue {
	var all []attribute.KeyValue
	if a.hasResult {
		all = append(all, attribute.Int(names.ResultBytes, len(a.result)))
		if len(a.parts) > 0 {
			all = append(all, attribute.String(names.ResultParts, wire.JSON(a.parts)))
		}
		if !l.names {
			all = append(all, attribute.String(names.ToolCallResult, l.json("result", "", a.result)))
		}
	}
	if a.outcome == attemptPaused {
		value := "null"
		if !l.names {
			value = l.json("interrupt", "", a.interrupt)
		}
		all = append(all, attribute.String(names.InterruptValue, value))
	}
	return all
}

// sendRefused tells of arguments that were refused before any tool could run.
func (w *watch) sendRefused(c *call) {
	now := time.Now()
	a := &attempt{
		w: w, key: c.key, parentKey: c.b.r.parentKey(), id: c.id, tool: c.name, place: c.b.place(), started: c.b.started,
		finished: now, cause: c.cause(), arguments: c.raw, done: true, outcome: attemptInvalid, failure: c.refused,
	}
	_, a.span = w.tracer.Start(c.b.r.within(context.Background()), executeName(a.tool), trace.WithTimestamp(a.started))
	c.attempts = append(c.attempts, a)
	w.sendAttempt(a)
}

type stepRecord struct {
	outcome        string
	started, ended time.Time
	dispatches     []wire.Dispatch
	answers        []wire.Answer
}

func (w *watch) sendStep(b *batch, step stepRecord) {
	span, at := b.span, b.place()
	w.pipe.Do(func() {
		l := w.ledger()
		for i := range step.dispatches {
			l.dispatch(&step.dispatches[i])
		}
		for i := range step.answers {
			l.answer(&step.answers[i])
		}
		all := append(at.attributes(names.RecordStep),
			attribute.String(names.Outcome, step.outcome),
			attribute.String(names.Dispatches, wire.JSON(step.dispatches)))
		if len(step.answers) > 0 {
			all = append(all, attribute.String(names.Answers, wire.JSON(step.answers)))
		}
		span.SetAttributes(append(all, l.marks()...)...)
		span.End(trace.WithTimestamp(step.ended))
	})
}

func (w *watch) sendRun(r *run, ended time.Time) {
	span, at, end, calls, input := r.span, r.place(), *r.end, r.calls(), r.input
	w.pipe.Do(func() {
		l := w.ledger()
		all := append(at.attributes(names.RecordRun),
			attribute.String(names.Operation, names.InvokeAgent),
			attribute.String(names.Outcome, end.outcome),
			attribute.StringSlice(names.Calls, calls))
		if len(input) > 0 {
			all = append(all, attribute.String(names.Requests, l.requests(input)))
		}
		if end.failure != nil {
			l.fail(span, "", *end.failure)
		}
		span.SetAttributes(append(all, l.marks()...)...)
		span.End(trace.WithTimestamp(ended))
	})
}

// sendTurn tells what a model asked for, and what it had been shown. The caller holds the run's mu.
func (w *watch) sendTurn(t *turn) {
	at, requests, seen := t.r.place(), t.requests(), t.sights()
	parent := t.r.within(context.Background())
	record := *t
	w.pipe.Do(func() {
		l := w.ledger()
		all := append(at.attributes(names.RecordTurn), attribute.String(names.Operation, names.Chat))
		all = append(all, record.attributes()...)
		if len(requests) > 0 {
			all = append(all,
				attribute.String(names.Requests, l.requests(requests)), attribute.String(names.GroupID, record.group))
		}
		if len(seen) > 0 {
			all = append(all, attribute.String(names.Seen, l.sights(seen)))
		}
		_, span := w.tracer.Start(parent, strings.TrimSpace(names.Chat+" "+record.model),
			trace.WithTimestamp(record.started), trace.WithAttributes(append(all, l.marks()...)...))
		span.End(trace.WithTimestamp(record.ended))
	})
}

// alive says that the process lives and which tools run in it; and that records were lost.
func (w *watch) alive() {
	keys, dropped := w.inFlight(), w.pipe.Dropped()+w.faults.Swap(0)
	if len(keys) == 0 && dropped == 0 {
		return
	}
	_, span := w.tracer.Start(context.Background(), "toolwatch.alive", trace.WithNewRoot(), trace.WithAttributes(
		attribute.String(names.Record, names.RecordAlive),
		attribute.String(names.Framework, "eino"),
		attribute.StringSlice(names.Calls, keys),
		attribute.Int64(names.Dropped, dropped),
	))
	span.End()
}

// fail is how the conventions tell of an exception.
func (l *ledger) fail(span trace.Span, key string, failure wire.Failure) {
	failure = *l.failure(key, &failure)
	attributes := []attribute.KeyValue{
		attribute.String(names.ExceptionType, failure.Type),
		attribute.String(names.ExceptionMessage, failure.Message),
	}
	if failure.Stack != nil {
		attributes = append(attributes, attribute.String(names.ExceptionStacktrace, *failure.Stack))
	}
	span.AddEvent(names.EventException, trace.WithAttributes(attributes...))
	span.SetAttributes(attribute.String(names.ErrorType, failure.Type))
	span.SetStatus(codes.Error, failure.Message)
}
