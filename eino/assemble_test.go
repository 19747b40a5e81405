package toolwatch

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolwatch/toolwatch/eino/internal/names"
	"github.com/toolwatch/toolwatch/eino/internal/scenarios"
	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

// told is what the records say of one call, in the order in which they were sent.
type told struct {
	scenarios.Call
	first     int64
	position  int
	parentKey string
	attempts  map[string]string
	order     []string
	result    string
	asked     bool
}

// assemble puts calls together from records as a server would, as far as the scenarios ask.
func assemble(t *testing.T, spans tracetest.SpanStubs) []scenarios.Call {
	t.Helper()
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].StartTime.Before(spans[j].StartTime) })
	calls := map[string]*told{}
	of := func(key string, at int64) *told {
		if calls[key] == nil {
			calls[key] = &told{first: at, attempts: map[string]string{}, Call: scenarios.Call{Silent: true}}
		}
		return calls[key]
	}
	for _, span := range spans {
		readSpan(t, span, of)
	}
	for _, span := range spans {
		readStep(t, span, of)
	}
	return sorted(calls)
}

func readSpan(t *testing.T, span tracetest.SpanStub, of func(string, int64) *told) {
	a, at := attributes(span), span.StartTime.UnixNano()
	switch a[names.Record].AsString() {
	case names.RecordTurn, names.RecordRun:
		for _, r := range decode[wire.Request](t, a[names.Requests]) {
			c := of(r.Key, at)
			c.Tool, c.ID, c.Arguments, c.position, c.asked = r.Name, r.ID, *r.Arguments, r.Position, true
			if r.ParentKey != nil {
				c.parentKey = *r.ParentKey
			}
		}
	case names.RecordAttempt:
		c := of(a[names.CallKey].AsString(), at)
		c.Tool, c.ID = a[names.ToolName].AsString(), a[names.ToolCallID].AsString()
		c.Ran, c.result = a[names.ToolCallArguments].AsString(), a[names.ToolCallResult].AsString()
		c.parentKey = a[names.ParentKey].AsString()
		id := span.SpanContext.SpanID().String()
		c.order = append(c.order, id)
		c.attempts[id] = strings.TrimSpace(a[names.AttemptCause].AsString() + " " + a[names.AttemptOutcome].AsString() + late(a))
		for _, event := range span.Events {
			for _, a := range event.Attributes {
				if a.Key == names.ExceptionMessage {
					c.Error = a.Value.AsString()
				}
			}
		}
		if len(span.Events) == 0 {
			c.Error = ""
		}
	}
}

func late(a map[attribute.Key]attribute.Value) string {
	if a[names.AttemptLate].AsBool() {
		return " late"
	}
	return ""
}

func readStep(t *testing.T, span tracetest.SpanStub, of func(string, int64) *told) {
	a := attributes(span)
	if a[names.Record].AsString() != names.RecordStep {
		return
	}
	for _, d := range decode[wire.Dispatch](t, a[names.Dispatches]) {
		c := of(d.Key, d.StartedNs)
		c.Tool, c.ID, c.Arguments, c.position = d.Name, d.ID, *d.Arguments, d.Position
		c.State, c.Unknown, c.Pause = d.State, d.Unknown, ""
		if d.ParentKey != nil {
			c.parentKey = *d.ParentKey
		}
		if d.Error != nil {
			c.Error = d.Error.Message
		}
		if d.Interrupt != nil {
			c.Pause = *d.Interrupt
		}
	}
	for _, answer := range decode[wire.Answer](t, a[names.Answers]) {
		if !answer.Delivered {
			continue
		}
		c := of(answer.Key, answer.AtNs)
		c.Silent, c.By, c.Answer, c.Parts = false, "", c.result, ""
		if answer.Content != nil {
			c.Answer = *answer.Content
		}
		if answer.By != nil {
			c.By = *answer.By
		}
		for _, part := range answer.Parts {
			c.Parts += partText(part)
		}
	}
}

func partText(part wire.Part) string {
	text := part.Type
	if part.MimeType != nil {
		text += " " + *part.MimeType
	}
	if part.Bytes != nil {
		text += fmt.Sprintf(" %d", *part.Bytes)
	}
	return text + ";"
}

func sorted(calls map[string]*told) []scenarios.Call {
	all := make([]*told, 0, len(calls))
	for _, c := range calls {
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].first != all[j].first {
			return all[i].first < all[j].first
		}
		return all[i].position < all[j].position
	})
	out := make([]scenarios.Call, 0, len(all))
	for _, c := range all {
		for _, id := range c.order {
			c.Attempts = append(c.Attempts, c.attempts[id])
		}
		if c.Ran == c.Arguments {
			c.Ran = ""
		}
		if parent := calls[c.parentKey]; parent != nil {
			c.Inside = parent.Tool
		}
		out = append(out, c.Call)
	}
	return out
}

func attributes(span tracetest.SpanStub) map[attribute.Key]attribute.Value {
	all := map[attribute.Key]attribute.Value{}
	for _, a := range span.Attributes {
		all[a.Key] = a.Value
	}
	return all
}

func decode[T any](t *testing.T, value attribute.Value) []T {
	t.Helper()
	if value.AsString() == "" {
		return nil
	}
	var items []T
	if err := json.Unmarshal([]byte(value.AsString()), &items); err != nil {
		t.Fatal(err)
	}
	return items
}

// quoted is the wanted part of a message, where the message has it.
func quoted(want, message string) string {
	if want != "" && strings.Contains(message, want) {
		return want
	}
	return message
}

func eventAttributes(span tracetest.SpanStub) []attribute.KeyValue {
	var all []attribute.KeyValue
	for _, event := range span.Events {
		all = append(all, event.Attributes...)
	}
	return all
}
