package toolwatch

import (
	"time"

	"github.com/cloudwego/eino/schema"

	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

// call is one call in one run of a tools node. Its run's mu guards it.
type call struct {
	b        *batch
	key      string
	id       string
	name     string
	raw      string
	position int
	carried  bool // answered with what an earlier run of its tool returned
	attempts []*attempt
	answer   *answer

	// Known only with a wrapped tools node:
	wrapped bool
	unknown bool
	left    *wire.Failure // the error that left all middlewares
	came    bool          // the middlewares have returned
	gone    bool          // a panic left all middlewares
	out     *answer       // what they returned
	mute    bool          // its stream ended before its end: nothing answers the call
	short   bool          // a middleware answered and no tool ran

	failure *wire.Failure // what left the dispatch
	refused *wire.Failure // why its arguments were refused before anything ran
}

// answer is the message that was written for a call.
type answer struct {
	at      time.Time
	text    string
	parts   []wire.Part
	bytes   int
	unknown bool // it was given away as a stream that nobody of ours has read
}

func (c *call) last() *attempt {
	if len(c.attempts) == 0 {
		return nil
	}
	return c.attempts[len(c.attempts)-1]
}

func (c *call) ranWith(arguments string) bool {
	for _, a := range c.attempts {
		if a.arguments == arguments {
			return true
		}
	}
	return false
}

// plain says whether every run of the tool has ended without a stream.
func (c *call) plain() bool {
	for _, a := range c.attempts {
		if !a.done || a.streamed {
			return false
		}
	}
	return len(c.attempts) > 0
}

// told reads the message that was written for the call. A message seen later says no more than the first.
func (c *call) told(message *schema.Message) {
	if c.answer != nil && !c.answer.unknown {
		return
	}
	text, parts := textOf(message), partsOf(message)
	at := time.Now()
	if !c.b.ended.IsZero() {
		at = c.b.ended
	}
	c.answer = &answer{at: at, text: text, parts: parts, bytes: len(text)}
	c.finishWaiting(text)
}

// settle makes an answer of what left the middlewares, where the node gave its answers away as a stream, or
// of what a plain run of the tool returned. The caller holds mu.
func (c *call) settle() {
	last := c.last()
	switch {
	case c.answer != nil || c.mute:
	case c.out != nil:
		c.answer = &answer{at: time.Now(), text: c.out.text, parts: c.out.parts, bytes: c.out.bytes}
	case c.carried:
		c.answer = c.b.kept.answer(c.id)
	case last != nil && last.done && !c.wrapped:
		c.answer = &answer{at: c.b.ended, unknown: true}
	}
}

// finishWaiting ends a run of the tool whose stream is known to be over.
func (c *call) finishWaiting(text string) {
	if a := c.last(); a != nil && a.waiting() {
		a.result, a.hasResult = text, true
		a.finish(attemptOK, nil)
	}
}

// close ends what an answered call has left open: a panic that a middleware turned into an answer, or a
// stream of which no more will be known.
func (c *call) close() {
	for _, a := range c.attempts {
		switch {
		case a.done:
		case a.streamed:
			a.finish("", nil)
		default:
			a.finish(attemptFailed, &wire.Failure{Type: "panic", Message: "recovered outside of the tool"})
		}
	}
	if c.answer == nil && !c.mute {
		c.answer = &answer{at: c.b.ended, unknown: true}
	}
}

func (c *call) cause() string {
	if c.b.resumed {
		return "resume"
	}
	return "first"
}

func (c *call) answered() wire.Answer {
	a := wire.Answer{
		Key: c.key, ID: c.id, Parts: append([]wire.Part{}, c.answer.parts...), Delivered: !c.b.late, AtNs: c.answer.at.UnixNano(), By: c.by(),
	}
	last := c.last()
	switch {
	case c.answer.unknown:
		a.SameAsResult = last != nil && last.hasResult
	case last != nil && last.hasResult && last.result == c.answer.text:
		a.SameAsResult = true
		a.Bytes = &c.answer.bytes
	default:
		a.Content, a.Bytes = &c.answer.text, &c.answer.bytes
	}
	return a
}

// by is who wrote the answer, as far as that is known.
func (c *call) by() *string {
	last := c.last()
	switch {
	case c.unknown, c.short:
		return wire.Said("wrapper")
	case last != nil && last.outcome != attemptOK && last.outcome != "":
		return wire.Said("wrapper")
	case c.carried && c.b.shares(c.id):
		return wire.Said("toolnode") // which keeps results by id, so that it may be another call's
	case last != nil || c.carried:
		return wire.Said("tool")
	}
	return nil
}

func (c *call) dispatched(outcome string) wire.Dispatch {
	b := c.b
	d := wire.Dispatch{
		Key: c.key, ID: c.id, Name: c.name, Arguments: &c.raw, MessageID: optional(b.message.id),
		Position: c.position, GroupID: b.group, GroupSize: len(b.calls), ParentKey: b.r.parentKey(),
		StartedNs: b.started.UnixNano(), EndedNs: c.endedNs(outcome), Cause: c.cause(), Unknown: c.unknown,
		Error: c.failure, Attempts: []string{}, State: c.state(outcome),
	}
	for _, a := range c.attempts {
		d.Attempts = append(d.Attempts, a.spanID())
	}
	if last := c.last(); last != nil {
		if outcome == interrupted && last.outcome == attemptPaused {
			d.Interrupt = &last.interrupt
		}
		if outcome == ended && last.failure != nil && !c.mute {
			d.Masked, d.HandledBy = last.failure, wire.Said("wrapper")
		}
	}
	if outcome == ended && (c.unknown || c.short) {
		d.HandledBy = wire.Said("wrapper")
	}
	return d
}

func (c *call) endedNs(outcome string) *int64 {
	last := c.last()
	switch {
	case last != nil && last.done && outcome != ended:
		return wire.Said(last.finished.UnixNano())
	case outcome == ended, c.failure != nil, c.unknown:
		return wire.Said(c.b.ended.UnixNano())
	}
	return nil
}

func (c *call) state(outcome string) string {
	switch {
	case outcome == ended && !c.mute && !c.b.late:
		return "returned"
	case outcome == interrupted || (len(c.attempts) == 0 && c.failure == nil):
		return "pending"
	}
	return "discarded"
}
