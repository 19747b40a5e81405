package toolwatch

import (
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolwatch/toolwatch/eino/internal/names"
	"github.com/toolwatch/toolwatch/eino/internal/redaction"
	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

const (
	longestBytes = 256 << 10
	stackBytes   = 16 << 10
	borderBytes  = 2 << 10 // is not kept of a text that is cut: it may hold half a secret
)

type hider interface {
	Text(text string) (string, []redaction.Hit)
	JSON(text string) (string, []redaction.Hit)
}

// ledger prepares the texts of one record: cuts them, hides secrets, and counts what it hid where.
type ledger struct {
	hide  hider
	names bool
	found []wire.Mark
}

func (w *watch) ledger() *ledger { return &ledger{hide: w.hide, names: w.names} }

func (l *ledger) text(where, key, text string) string {
	return l.hidden(where, key, text, l.hide.Text)
}

func (l *ledger) json(where, key, text string) string {
	return l.hidden(where, key, text, l.hide.JSON)
}

func (l *ledger) hidden(where, key, text string, hide func(string) (string, []redaction.Hit)) string {
	long := len(text) > longestBytes
	if long {
		text = cut(text, longestBytes)
	}
	text, hits := hide(text)
	for _, hit := range hits {
		l.found = append(l.found, wire.Mark{Key: key, Where: where, Rule: hit.Rule, Count: hit.Count})
	}
	if long {
		text = cut(text, max(0, len(text)-borderBytes))
	}
	return text
}

func cut(text string, size int) string {
	if size >= len(text) {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

func (l *ledger) marks() []attribute.KeyValue {
	if len(l.found) == 0 {
		return nil
	}
	return []attribute.KeyValue{attribute.String(names.Redactions, wire.JSON(l.found))}
}

func (l *ledger) optional(where, key string, text *string) *string {
	if text == nil || l.names {
		return nil
	}
	return wire.Said(l.json(where, key, *text))
}

func (l *ledger) failure(key string, failure *wire.Failure) *wire.Failure {
	if failure == nil {
		return nil
	}
	if l.names {
		return &wire.Failure{Type: failure.Type}
	}
	hidden := wire.Failure{Type: failure.Type, Message: l.text("error", key, failure.Message)}
	if failure.Stack != nil {
		hidden.Stack = wire.Said(l.text("error", key, cut(*failure.Stack, stackBytes)))
	}
	return &hidden
}

func (l *ledger) dispatch(d *wire.Dispatch) {
	d.Arguments = l.optional("arguments", d.Key, d.Arguments)
	d.Error, d.Masked = l.failure(d.Key, d.Error), l.failure(d.Key, d.Masked)
	if d.Interrupt != nil && l.names {
		d.Interrupt = wire.Said("null")
	}
	d.Interrupt = l.optionalPause(d)
}

func (l *ledger) optionalPause(d *wire.Dispatch) *string {
	if d.Interrupt == nil {
		return nil
	}
	return wire.Said(l.json("interrupt", d.Key, *d.Interrupt))
}

func (l *ledger) answer(a *wire.Answer) {
	a.Truncated = a.Content != nil && len(*a.Content) > longestBytes
	a.Content = l.optional("answer", a.Key, a.Content)
}

func (l *ledger) requests(requests []wire.Request) string {
	hidden := make([]wire.Request, len(requests))
	for i, request := range requests {
		request.Arguments = l.optional("request", request.Key, request.Arguments)
		hidden[i] = request
	}
	return wire.JSON(hidden)
}

func (l *ledger) sights(seen []wire.Sight) string {
	hidden := make([]wire.Sight, len(seen))
	for i, sight := range seen {
		sight.Content = l.optional("answer", sight.Key, sight.Content)
		hidden[i] = sight
	}
	return wire.JSON(hidden)
}
