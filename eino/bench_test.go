package toolwatch

import (
	"context"
	"fmt"
	"testing"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/compose"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolwatch/toolwatch/eino/internal/scenarios"
)

type nowhere struct{}

func (nowhere) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (nowhere) Shutdown(context.Context) error                             { return nil }

// BenchmarkCall is one run of a graph with one tools node and one call of a tool that does nothing.
func BenchmarkCall(b *testing.B) {
	modes := []struct {
		name  string
		watch bool
		wrap  func(*compose.ToolsNodeConfig)
	}{
		{"unwatched", false, func(*compose.ToolsNodeConfig) {}},
		{"watched", true, func(*compose.ToolsNodeConfig) {}},
		{"wrapped", true, WrapTools},
	}
	for _, mode := range modes {
		b.Run(mode.name, func(b *testing.B) {
			callbacks.InitCallbackHandlers(nil)
			if mode.watch {
				w, err := newWatchWith(context.Background(), []Option{WithExporter(nowhere{})})
				if err != nil {
					b.Fatal(err)
				}
				callbacks.InitCallbackHandlers([]callbacks.Handler{handler{w}})
				defer callbacks.InitCallbackHandlers(nil)
			}
			graph := environment(context.Background(), mode.wrap).Graph(scenarios.Tools(scenarios.Weather()))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				ask := scenarios.Asks(scenarios.Ask("c1", "weather", fmt.Sprintf(`{"city":"number %d"}`, i)))
				if _, err := graph.Invoke(context.Background(), ask); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
