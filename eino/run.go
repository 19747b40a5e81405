package toolwatch

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/compose"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolwatch/toolwatch/eino/internal/names"
	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

// Outcomes of a run and of a step.
const (
	ended       = "ok"
	crashed     = "crashed"
	failed      = "error"
	interrupted = "interrupted"
	cancelled   = "cancelled"
	stepLimit   = "step_limit"
)

// run is an outermost graph, or a graph that runs inside of a tool. All that happens in it is kept here
// until it is sent; mu guards it, its batches and their calls.
type run struct {
	w       *watch
	id      string // of the outermost run
	scope   string
	thread  string
	agent   string
	name    string
	outer   *attempt
	span    trace.Span
	started time.Time

	mu       sync.Mutex
	turns    []*turn
	modelRan bool
	earlier  map[string]int  // equal messages that the model was last shown
	used     map[string]int  // equal messages that were dispatched
	open     map[string]bool // keys of calls without a delivered answer
	last     []string        // keys of the last step
	unseen   []*call         // answered, not yet shown to a model
	batches  []*batch        // not yet sent
	input    []wire.Request  // that came with the run's input
	plain    bool            // a tools node has failed, not paused
	streams  int             // streams of tools that are still read
	end      *runEnd
	over     bool
}

type runEnd struct {
	outcome string
	err     error
	failure *wire.Failure
}

// graphStarted opens a run, unless the graph is a part of one.
func (w *watch) graphStarted(ctx context.Context, f frame, info *callbacks.RunInfo) context.Context {
	if f.run != nil {
		f.root, f.turn, f.batch, f.call, f.attempt = false, nil, nil, nil, nil
		return put(ctx, f, info)
	}
	if f.runID == "" {
		f.runID = newID()
	}
	r := &run{
		w: w, id: f.runID, thread: threadOf(ctx), agent: f.agent, name: info.Name, outer: f.attempt, started: time.Now(),
		earlier: map[string]int{}, used: map[string]int{}, open: map[string]bool{},
	}
	if r.agent == "" {
		r.agent = info.Name
	}
	r.scope = r.thread
	if r.scope == "" {
		r.scope = r.id
	}
	name := strings.TrimSpace(names.InvokeAgent + " " + r.agent)
	_, r.span = w.tracer.Start(ctx, name, trace.WithTimestamp(r.started))
	f = frame{runID: f.runID, agent: r.agent, run: r, root: true}
	return put(ctx, f, info)
}

func (r *run) parentKey() *string {
	if r.outer == nil {
		return nil
	}
	return &r.outer.key
}

// within is a context whose current span is the run's.
func (r *run) within(ctx context.Context) context.Context {
	return trace.ContextWithSpan(ctx, r.span)
}

// ended closes the run, and what a panic or a cancelled context has left open in it. A run that gave its
// result away as a stream goes on until the streams of its tools are read.
func (r *run) ended(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end != nil {
		return
	}
	r.end = &runEnd{outcome: r.outcome(err), err: err}
	if err != nil && r.end.outcome != interrupted {
		r.end.failure = failureOf(err)
		r.abandon(err)
	}
	r.settle()
}

func (r *run) abandon(err error) {
	for _, b := range append([]*batch(nil), r.batches...) {
		if !b.given {
			b.abandoned(err)
		}
	}
}

// settle sends the run when nothing of it is still to come. The caller holds mu.
func (r *run) settle() {
	if r.over || r.end == nil || (r.streams > 0 && r.end.err == nil) {
		return
	}
	for _, t := range r.turns {
		t.send()
	}
	r.sendGiven()
	r.over = true
	if r.end.outcome == interrupted {
		r.rememberTurn()
	}
	r.w.sendRun(r, time.Now())
}

// rememberTurn keeps what a run that starts at its tools has to know, when this one paused before them.
func (r *run) rememberTurn() {
	for _, t := range r.turns {
		if t.known && !t.taken && len(t.message.calls) > 0 {
			r.w.paused.keep(r.thread, t.message.print, past{scope: r.scope, group: t.group, before: true})
		}
	}
}

// sendGiven sends the steps that gave their answers away as streams, of which no more will be known.
func (r *run) sendGiven() {
	for _, b := range append([]*batch(nil), r.batches...) {
		if b.given {
			b.send(ended)
		}
	}
}

func (r *run) outcome(err error) string {
	if err == nil {
		return ended
	}
	_, graph := compose.ExtractInterruptInfo(err)
	_, inner := compose.IsInterruptRerunError(err)
	text := err.Error()
	switch {
	case (graph || inner) && !r.plain:
		return interrupted
	case errors.Is(err, compose.ErrExceedMaxSteps), strings.Contains(text, "exceeds max iterations"):
		return stepLimit
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return cancelled
	}
	return crashed
}

// streaming counts a stream that somebody reads; done is called once, when that is over.
func (r *run) streaming() (done func()) {
	if r == nil {
		return func() {}
	}
	r.mu.Lock()
	r.streams++
	r.mu.Unlock()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.streams--
		r.settle()
	}
}

// calls are the keys that the end of the run says something about.
func (r *run) calls() []string {
	keys := append([]string(nil), r.last...)
	for _, key := range r.last {
		delete(r.open, key)
	}
	for key := range r.open {
		keys = append(keys, key)
	}
	return keys
}
