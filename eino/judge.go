package toolwatch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cloudwego/eino/compose"

	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

const (
	panicText = "panic error: "
	stackText = ", \nstack: "
)

// judge says what an error of a tool means: a pause, arguments that Eino could not read, the end of
// a context, or a failure of the tool's own.
func judge(err error) (string, *wire.Failure) {
	if _, pause := compose.IsInterruptRerunError(err); pause {
		return attemptPaused, nil
	}
	failure := failureOf(err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return attemptCancelled, failure
	case strings.HasPrefix(failure.Message, "[") && isUnreadable(failure.Message):
		return attemptInvalid, failure
	}
	return attemptFailed, failure
}

// isUnreadable knows the errors of tools made by Eino's utils package, whose functions have not run then.
func isUnreadable(message string) bool {
	prefix, _, _ := strings.Cut(message, ",")
	return strings.HasSuffix(prefix, "Func] failed to unmarshal arguments in json") ||
		strings.HasSuffix(prefix, "Func] failed to unmarshal arguments") ||
		strings.HasSuffix(prefix, "Func] invalid type")
}

// failureOf names an error by the type at its root, as the conventions for Go do.
func failureOf(err error) *wire.Failure {
	text := err.Error()
	if at := strings.Index(text, panicText); at >= 0 {
		message, stack, _ := strings.Cut(text[at+len(panicText):], stackText)
		return &wire.Failure{Type: "panic", Message: message, Stack: optional(stack)}
	}
	return &wire.Failure{Type: typeOf(err), Message: text}
}

func typeOf(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "context.DeadlineExceeded"
	case errors.Is(err, context.Canceled):
		return "context.Canceled"
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return fmt.Sprintf("%T", err)
		}
		err = inner
	}
}

func outcomeOf(err error) string {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return cancelled
	}
	return failed
}

// blame says for each call of a node what the node's error means for it. outer says that the error is the
// run's, the node itself having said nothing: then a panic is one of the goroutine that ran the node. The
// caller holds mu.
func (b *batch) blame(err error, outer bool) {
	failure := failureOf(err)
	text := err.Error()
	culprit := b.named(text)
	if culprit == nil && outer && failure.Type == "panic" {
		culprit = b.inFront()
	}
	for _, c := range b.calls {
		c.blamed(failure, c == culprit)
	}
	if len(b.attempted()) == 0 {
		b.refusal(text, failure)
	}
}

func (c *call) blamed(failure *wire.Failure, culprit bool) {
	a := c.last()
	switch {
	case a == nil && c.left != nil:
		c.failure = c.left
	case a == nil && !culprit:
	case a == nil:
		c.failure = failure
	case !a.done && (c.gone || (culprit && !a.streamed)):
		a.finish(attemptFailed, failure)
		c.failure = failure
	case a.waiting() && !c.wrapped:
		c.blamedStream(a, failure, culprit)
	case !a.done:
	case c.left != nil:
		c.failure = c.left
	case a.outcome != attemptOK && a.outcome != attemptPaused:
		c.failure = a.failure
	case culprit:
		c.failure = failure
	case a.broken != "":
		c.failure = &wire.Failure{Type: failure.Type, Message: a.broken}
	}
}

// blamedStream judges a stream that Eino could not put together.
func (c *call) blamedStream(a *attempt, failure *wire.Failure, culprit bool) {
	switch {
	case !culprit:
		a.finish("", nil)
	case strings.Contains(failure.Message, "stream reader is empty"),
		strings.Contains(failure.Message, "conflicting "):
		a.finish(attemptOK, nil)
		c.failure = failure
	default:
		a.finish(attemptFailed, failure)
		c.failure = failure
	}
}

// named is the call that the text of a node's error speaks of.
func (b *batch) named(text string) *call {
	for _, c := range b.calls {
		marks := []string{
			"failed to invoke tool[name:" + c.name + " id:" + c.id + "]",
			"failed to stream tool call " + c.id + ": ",
			"tool[name:" + c.name + " id:" + c.id + "]'s stream output",
		}
		for _, mark := range marks {
			if strings.Contains(text, mark) && !c.innocent() {
				return c
			}
		}
	}
	return nil
}

// innocent rules out a call whose middlewares are known to have returned no error.
func (c *call) innocent() bool {
	return c.wrapped && c.left == nil && !c.gone && c.last() != nil && c.last().done && !c.last().streamed
}

// inFront is the call that Eino runs in the node's own goroutine: the one that is open, or the first.
func (b *batch) inFront() *call {
	var open []*call
	for _, c := range b.calls {
		if c.gone {
			return c
		}
		if a := c.last(); a != nil && !a.done {
			open = append(open, c)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[0]
}

func (b *batch) attempted() []*call {
	var ran []*call
	for _, c := range b.calls {
		if len(c.attempts) > 0 {
			ran = append(ran, c)
		}
	}
	return ran
}

// refusal finds the call for which the node ran none: a tool that it does not have, or arguments that a
// handler refused.
func (b *batch) refusal(text string, failure *wire.Failure) {
	for _, c := range b.calls {
		switch {
		case strings.Contains(text, "tool "+c.name+" not found in toolsNode indexes"):
			c.unknown, c.failure = true, failure
			return
		case c.refused != nil,
			strings.Contains(text, "failed to executed tool[name:"+c.name+" arguments:"+c.raw+"]"):
			if c.refused == nil {
				c.refused = failure
			}
			c.b.r.w.sendRefused(c)
			c.failure = c.refused
			return
		}
	}
}
