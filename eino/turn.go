package toolwatch

import (
	"context"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
	"go.opentelemetry.io/otel/attribute"

	"github.com/toolwatch/toolwatch/eino/internal/names"
	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

const mostTurns = 16

// turn is one answer of a model. It is sent when a tools node has taken it up, since Eino numbers the
// message only then, or when it is plain that none will.
type turn struct {
	r       *run
	model   string
	limit   int
	started time.Time
	ended   time.Time
	seen    []sight
	message asked
	group   string
	known   bool // what it asked for is known
	taken   bool
	sent    bool
}

type sight struct {
	call    *call
	content string
}

func (w *watch) modelStarted(
	ctx context.Context, f frame, info *callbacks.RunInfo, input *model.CallbackInput,
) context.Context {
	if f.run == nil {
		return ctx
	}
	r := f.run
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sendTurns()
	t := &turn{r: r, started: time.Now()}
	if input != nil {
		t.seen = r.show(input.Messages)
		r.earlier = countPrints(input.Messages)
		t.configure(input.Config)
	}
	r.modelRan = true
	f.turn, f.root, f.batch, f.call = t, false, nil, nil
	return put(ctx, f, info)
}

// sendTurns sends what waited for a tools node, and forgets turns that none will take up any more.
func (r *run) sendTurns() {
	var waiting []*turn
	for _, t := range r.turns {
		t.send()
		if !t.taken {
			waiting = append(waiting, t)
		}
	}
	r.turns = waiting[max(0, len(waiting)-mostTurns):]
}

func (t *turn) configure(config *model.Config) {
	if config != nil {
		t.model, t.limit = config.Model, config.MaxTokens
	}
}

// show pairs answers of this run with the messages that tell a model about them.
func (r *run) show(messages []*schema.Message) []sight {
	var seen []sight
	for _, message := range messages {
		if message == nil || message.Role != schema.Tool {
			continue
		}
		for i, c := range r.unseen {
			if c.id != message.ToolCallID || (message.ToolName != "" && message.ToolName != c.name) {
				continue
			}
			c.told(message)
			seen = append(seen, sight{call: c, content: textOf(message)})
			r.unseen = append(r.unseen[:i:i], r.unseen[i+1:]...)
			break
		}
	}
	r.sendGiven()
	return seen
}

func (t *turn) answered(output *model.CallbackOutput) {
	if output == nil {
		return
	}
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	if !t.ended.IsZero() {
		return
	}
	t.configure(output.Config)
	t.reads(readMessage(output.Message))
	t.keep()
	if len(t.message.calls) == 0 {
		t.send()
	}
}

// handedOver is the end of a turn of which only the tools node, or nobody, will tell what was asked for.
func (t *turn) handedOver() {
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	if t.ended.IsZero() {
		t.keep()
	}
}

func (t *turn) keep() {
	t.ended = time.Now()
	t.r.turns = append(t.r.turns, t)
}

// reads computes what the calls of the message are known by. The caller holds mu.
func (t *turn) reads(message asked) {
	t.message, t.known = message, true
	nth := max(t.r.earlier[message.print], t.r.used[message.print])
	t.group = message.group(nth)
	for position, call := range message.calls {
		t.r.open[wire.Key(keyScope(t.r, message), t.group, position, call.ID)] = true
	}
}

// take finds the turn whose calls a tools node takes up. A message that no model was seen to write came with
// the run's input. The caller holds mu.
func (r *run) take(message asked) *turn {
	for i := len(r.turns) - 1; i >= 0; i-- {
		t := r.turns[i]
		if t.taken || (t.known && t.message.print != message.print) {
			continue
		}
		if t.known && t.message.id == "" && message.id != "" {
			t.forget()
			t.known = false
		}
		if !t.known {
			t.reads(message)
		}
		t.taken = true
		t.send()
		return t
	}
	return nil
}

func (t *turn) forget() {
	for position, call := range t.message.calls {
		delete(t.r.open, wire.Key(keyScope(t.r, t.message), t.group, position, call.ID))
	}
}

// send sends the turn once. The caller holds mu.
func (t *turn) send() {
	if t.sent || (!t.known && len(t.seen) == 0) {
		return
	}
	t.sent = true
	t.r.w.sendTurn(t)
}

// keyScope is the thread, or the run; a message that Eino has numbered needs neither.
func keyScope(r *run, message asked) string {
	if r.thread == "" && message.id != "" {
		return ""
	}
	return r.scope
}

func (t *turn) requests() []wire.Request {
	var requests []wire.Request
	scope := keyScope(t.r, t.message)
	for position, call := range t.message.calls {
		requests = append(requests, wire.Request{
			Key: wire.Key(scope, t.group, position, call.ID), ID: call.ID, Name: call.Function.Name, Kind: "model",
			Position: position, Arguments: wire.Said(call.Function.Arguments), ParentKey: t.r.parentKey(),
		})
	}
	return requests
}

// sights are what the model was shown; a content that is the answer's own is not sent twice.
func (t *turn) sights() []wire.Sight {
	var seen []wire.Sight
	for _, s := range t.seen {
		sight := wire.Sight{Key: s.call.key}
		if answer := s.call.answer; answer == nil || answer.unknown || answer.text != s.content {
			sight.Content = wire.Said(s.content)
		}
		seen = append(seen, sight)
	}
	return seen
}

// attributes are what the conventions say about a model's answer.
func (t *turn) attributes() []attribute.KeyValue {
	var all []attribute.KeyValue
	if t.model != "" {
		all = append(all, attribute.String(names.RequestModel, t.model))
	}
	if t.limit > 0 {
		all = append(all, attribute.Int(names.RequestMaxTokens, t.limit))
	}
	if t.message.id != "" {
		all = append(all, attribute.String(names.MessageID, t.message.id))
	}
	meta := t.message.meta
	if meta == nil {
		return all
	}
	if meta.FinishReason != "" {
		all = append(all, attribute.StringSlice(names.FinishReasons, []string{meta.FinishReason}))
	}
	if meta.Usage != nil {
		all = append(all,
			attribute.Int(names.InputTokens, meta.Usage.PromptTokens),
			attribute.Int(names.OutputTokens, meta.Usage.CompletionTokens))
	}
	return all
}
