package toolwatch

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolwatch/toolwatch/eino/internal/scenarios"
)

func TestTheCallbacksAloneTellWhatBecameOfEachCall(t *testing.T) {
	for _, s := range scenarios.All() {
		t.Run(s.Name, func(t *testing.T) {
			_, told := watched(t, s, func(*compose.ToolsNodeConfig) {})
			compare(t, s.Want, told)
		})
	}
}

func TestAWrappedToolsNodeTellsMore(t *testing.T) {
	for _, s := range scenarios.All() {
		t.Run(s.Name, func(t *testing.T) {
			want := s.Wrapped
			if want == nil {
				want = s.Want
			}
			_, told := watched(t, s, WrapTools)
			compare(t, want, told)
		})
	}
}

func TestAProgramEndsTheSameWithAndWithoutUs(t *testing.T) {
	for _, s := range scenarios.All() {
		t.Run(s.Name, func(t *testing.T) {
			callbacks.InitCallbackHandlers(nil)
			alone := s.Run(environment(context.Background(), func(*compose.ToolsNodeConfig) {}))
			plain, _ := watched(t, s, func(*compose.ToolsNodeConfig) {})
			wrapped, _ := watched(t, s, WrapTools)
			if plain != alone || wrapped != alone {
				t.Errorf("alone:   %s\nwatched: %s\nwrapped: %s", alone, plain, wrapped)
			}
		})
	}
}

func environment(ctx context.Context, wrap func(*compose.ToolsNodeConfig)) *scenarios.Env {
	env := &scenarios.Env{Ctx: ctx, Wrap: wrap, Model: WrapModel}
	if reflect.ValueOf(wrap).Pointer() != reflect.ValueOf(WrapTools).Pointer() {
		env.Model = func(m model.ToolCallingChatModel) model.ToolCallingChatModel { return m }
	}
	return env
}

// watched runs a scenario with the one global handler and says how it ended and what the records tell.
func watched(t *testing.T, s scenarios.Scenario, wrap func(*compose.ToolsNodeConfig)) (string, []scenarios.Call) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	w, err := newWatchWith(context.Background(), []Option{WithExporter(exporter)})
	if err != nil {
		t.Fatal(err)
	}
	callbacks.InitCallbackHandlers([]callbacks.Handler{handler{w}})
	defer callbacks.InitCallbackHandlers(nil)
	ended := s.Run(environment(WithThread(context.Background(), "thread"), wrap))
	told := settled(t, w, exporter)
	if faults := w.faults.Load(); faults != 0 {
		t.Errorf("%d faults of our own", faults)
	}
	if left := w.inFlight(); len(left) != 0 {
		t.Errorf("still in flight: %v", left)
	}
	w.stop()
	return ended, told
}

// settled waits until what goes on after a run is told too.
func settled(t *testing.T, w *watch, exporter *tracetest.InMemoryExporter) []scenarios.Call {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	for len(w.inFlight()) > 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if err := w.pipe.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	return assemble(t, exporter.GetSpans())
}

func compare(t *testing.T, want, told []scenarios.Call) {
	t.Helper()
	if len(want) != len(told) {
		t.Fatalf("want %d calls, told of %d: %+v", len(want), len(told), told)
	}
	for i := range want {
		want[i].Outcome = "" // the server's word, which the tests against a server check
		told[i].Error = quoted(want[i].Error, told[i].Error)
		if !reflect.DeepEqual(want[i], told[i]) {
			t.Errorf("call %d\nwant %+v\ntold %+v", i, want[i], told[i])
		}
	}
}
