package toolwatch

import (
	"context"
	"reflect"
	"testing"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolwatch/toolwatch/eino/internal/scenarios"
)

func TestACallThatPausesInOneProcessAndGoesOnInAnotherIsOne(t *testing.T) {
	exporter, store := tracetest.NewInMemoryExporter(), scenarios.NewStore()
	ctx := WithThread(context.Background(), "thread")
	first := elsewhere(t, exporter, func(graph compose.Runnable[*schema.Message, []*schema.Message]) string {
		_, err := graph.Invoke(ctx, scenarios.Asks(scenarios.Ask("c1", "wipe", paris)), compose.WithCheckPointID("p"))
		pause, _ := compose.ExtractInterruptInfo(err)
		return pause.InterruptContexts[0].ID
	}, store)
	elsewhere(t, exporter, func(graph compose.Runnable[*schema.Message, []*schema.Message]) string {
		_, err := graph.Invoke(compose.ResumeWithData(ctx, first, "yes"), nil, compose.WithCheckPointID("p"))
		if err != nil {
			t.Fatal(err)
		}
		return ""
	}, store)

	told := assemble(t, exporter.GetSpans())
	if len(told) != 1 || !reflect.DeepEqual(told[0].Attempts, []string{"first interrupted", "resume ok"}) {
		t.Errorf("%+v", told)
	}
}

func TestTwoRunsThatAskTheSameAreTwoCalls(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	w := install(t, WithExporter(exporter))
	askWeather(t)
	askWeather(t)

	if told := settled(t, w, exporter); len(told) != 2 {
		t.Errorf("%+v", told)
	}
}

// elsewhere runs a graph under a watch that knows nothing of any other, as in a process of its own.
func elsewhere(
	t *testing.T, exporter *tracetest.InMemoryExporter,
	run func(compose.Runnable[*schema.Message, []*schema.Message]) string, store *scenarios.Store,
) string {
	t.Helper()
	w := install(t, WithExporter(exporter))
	defer callbacks.InitCallbackHandlers(nil)
	config := scenarios.Tools(scenarios.Approval("wipe"))
	said := run(environment(context.Background(), WrapTools).Graph(config, compose.WithCheckPointStore(store)))
	settled(t, w, exporter)
	return said
}
