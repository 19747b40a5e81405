package toolwatch

import (
	"context"
	"slices"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolwatch/toolwatch/eino/internal/names"
	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

// batch is one run of a tools node. Its run's mu guards it.
type batch struct {
	r       *run
	node    string
	task    string
	span    trace.Span
	started time.Time
	ended   time.Time
	group   string
	message asked
	resumed bool
	kept    carried
	calls   []*call
	given   bool // its answers were given away as a stream
	late    bool // its run had ended before: nobody gets its answers
	sent    bool
}

func (w *watch) batchStarted(
	ctx context.Context, f frame, info *callbacks.RunInfo, message *schema.Message,
) context.Context {
	if f.run == nil {
		return ctx
	}
	kept, resumed := keptState(ctx)
	if message == nil {
		message = kept.Input
	}
	address := compose.GetCurrentAddress(ctx)
	r := f.run
	b := &batch{
		r: r, node: nodeOf(address, info.Name), task: address.String(), started: time.Now(),
		message: readMessage(message), resumed: resumed, kept: kept,
	}
	_, b.span = w.tracer.Start(r.within(ctx), "step "+b.node, trace.WithTimestamp(b.started))
	r.mu.Lock()
	defer r.mu.Unlock()
	b.takeUp()
	f.batch, f.root, f.turn, f.call, f.attempt = b, false, nil, nil, nil
	return put(ctx, f, info)
}

func nodeOf(address compose.Address, name string) string {
	for i := len(address) - 1; i >= 0; i-- {
		if address[i].Type == compose.AddressSegmentNode {
			return address[i].ID
		}
	}
	return name
}

// takeUp names the calls of the message as whoever asked for them did.
func (b *batch) takeUp() {
	r, message := b.r, b.message
	scope := keyScope(r, message)
	t := r.take(message)
	known, found := r.w.paused.find(r.thread, message.print)
	switch {
	case t != nil:
		b.group = t.group
	case message.id == "" && found && (b.resumed || (known.before && !r.modelRan)):
		b.group, scope = known.group, known.scope
	default:
		b.group = message.group(r.used[message.print])
	}
	r.used[message.print]++
	r.last = nil
	for position, asked := range message.calls {
		c := &call{
			b: b, id: asked.ID, name: asked.Function.Name, raw: asked.Function.Arguments, position: position,
			key:     wire.Key(scope, b.group, position, asked.ID),
			carried: b.resumed && b.kept.has(asked.ID),
		}
		b.calls = append(b.calls, c)
		r.open[c.key] = true
		r.last = append(r.last, c.key)
	}
	r.batches = append(r.batches, b)
	if t == nil && !b.resumed && !found {
		r.input = append(r.input, b.requests()...)
	}
}

func (b *batch) requests() []wire.Request {
	var requests []wire.Request
	for _, c := range b.calls {
		requests = append(requests, wire.Request{
			Key: c.key, ID: c.id, Name: c.name, Kind: "input", Position: c.position, Arguments: &c.raw,
			ParentKey: b.r.parentKey(), MessageID: optional(b.message.id), GroupID: &b.group,
			GroupSize: wire.Said(len(b.calls)),
		})
	}
	return requests
}

// find is the call that an execution belongs to, told by what is known of it: Eino's ids may be empty, equal
// or the names of tools.
func (b *batch) find(id, name, arguments string, free func(*call) bool) *call {
	same := func(c *call) bool { return c.id == id && c.name == name }
	tests := []func(*call) bool{
		func(c *call) bool { return same(c) && c.raw == arguments && free(c) },
		func(c *call) bool { return same(c) && free(c) },
		func(c *call) bool { return same(c) && c.ranWith(arguments) },
		same,
		func(c *call) bool { return c.id == id && free(c) },
	}
	for _, test := range tests {
		if i := slices.IndexFunc(b.calls, test); i >= 0 {
			return b.calls[i]
		}
	}
	return nil
}

// shares says whether several calls of the message have this id.
func (b *batch) shares(id string) bool {
	same := 0
	for _, c := range b.calls {
		if c.id == id {
			same++
		}
	}
	return same > 1
}

// answered is the end of a node that gave a message for each call.
func (b *batch) answered(messages []*schema.Message) {
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	if b.sent {
		return
	}
	b.ended, b.late = time.Now(), b.r.over
	for i, c := range b.calls {
		if i < len(messages) && messages[i] != nil {
			c.told(messages[i])
		}
		c.close()
		b.r.unseen = append(b.r.unseen, c)
	}
	b.send(ended)
}

// harmlessToRead says whether a stream of answers holds only what is already there.
func (b *batch) harmlessToRead() bool {
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	for _, c := range b.calls {
		if c.wrapped || (!c.carried && !c.plain()) {
			return false
		}
	}
	return true
}

// handedOver is the end of a node that gave its answers away as a stream.
func (b *batch) handedOver() {
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	if b.sent || b.given {
		return
	}
	b.given, b.ended = true, time.Now()
	b.r.unseen = append(b.r.unseen, b.calls...)
	for _, c := range b.calls {
		c.settle()
	}
	b.sendIfComplete()
}

// sendIfComplete sends a step whose every answer is known. The caller holds mu.
func (b *batch) sendIfComplete() {
	for _, c := range b.calls {
		if c.answer == nil && !c.mute || c.answer != nil && c.answer.unknown {
			return
		}
	}
	if b.given {
		b.send(ended)
	}
}

// failed is the end of a node that gave no message, because of an error or a pause.
func (b *batch) failed(err error) {
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	if b.sent {
		return
	}
	b.ended = time.Now()
	if info, pause := compose.IsInterruptRerunError(err); pause {
		b.pausedBy(info)
		return
	}
	b.r.plain = true
	b.blame(err, false)
	b.send(outcomeOf(err))
}

func (b *batch) pausedBy(info any) {
	extra, _ := info.(*compose.ToolsInterruptAndRerunExtra)
	for _, c := range b.calls {
		if extra == nil {
			break
		}
		if text, done := extra.ExecutedTools[c.id]; done {
			c.finishWaiting(text)
		}
	}
	b.r.w.paused.keep(b.r.thread, b.message.print, past{scope: keyScope(b.r, b.message), group: b.group})
	b.send(interrupted)
}

// abandoned is the end of a node that never said that it ended: the run did. The caller holds mu.
func (b *batch) abandoned(err error) {
	b.ended = time.Now()
	b.blame(err, true)
	b.send(outcomeOf(err))
}

// send sends the step once. The caller holds mu.
func (b *batch) send(outcome string) {
	if b.sent {
		return
	}
	b.sent = true
	b.r.batches = slices.DeleteFunc(b.r.batches, func(other *batch) bool { return other == b })
	step := stepRecord{outcome: outcome, started: b.started, ended: b.ended}
	for _, c := range b.calls {
		if outcome == ended {
			c.close()
		}
		if outcome == ended && c.answer != nil {
			delete(b.r.open, c.key)
			step.answers = append(step.answers, c.answered())
		}
		step.dispatches = append(step.dispatches, c.dispatched(outcome))
	}
	b.r.w.sendStep(b, step)
}

func (b *batch) place() place {
	p := b.r.place()
	p.node, p.task = b.node, b.task
	return p
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (r *run) place() place {
	return place{runID: r.id, thread: r.thread, agent: r.agent}
}

func executeName(tool string) string { return names.ExecuteTool + " " + tool }
