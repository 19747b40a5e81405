package toolwatch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolwatch/toolwatch/eino/internal/names"
	"github.com/toolwatch/toolwatch/eino/internal/scenarios"
)

const paris = `{"city":"Paris"}`

// install makes a watch the one global handler for the time of a test.
func install(t *testing.T, options ...Option) *watch {
	t.Helper()
	w, err := newWatchWith(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	callbacks.InitCallbackHandlers([]callbacks.Handler{handler{w}})
	t.Cleanup(func() {
		callbacks.InitCallbackHandlers(nil)
		w.stop()
	})
	return w
}

func askWeather(t *testing.T) string {
	t.Helper()
	return environment(context.Background(), WrapTools).
		Invoke(scenarios.Tools(scenarios.Weather()), scenarios.Ask("c1", "weather", paris))
}

func TestAFaultOfOursDoesNotReachTheProgram(t *testing.T) {
	w := install(t, WithExporter(tracetest.NewInMemoryExporter()))
	w.tracer = nil // every record will panic

	if end := askWeather(t); end != "[c1 weather sunny in Paris 0]" {
		t.Error(end)
	}
	if w.faults.Load() == 0 {
		t.Error("the fault was not counted")
	}
}

func TestAServerThatHangsDoesNotSlowTheProgram(t *testing.T) {
	release := make(chan struct{})
	w := install(t, WithExporter(hanging{release}))
	for range 3000 {
		if end := askWeather(t); end != "[c1 weather sunny in Paris 0]" {
			t.Fatal(end)
		}
	}
	if w.pipe.Dropped() == 0 {
		t.Error("what a full queue refused was not counted")
	}
	close(release)
}

type hanging struct{ release chan struct{} }

func (h hanging) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	<-h.release
	return errors.New("gone")
}

func (h hanging) Shutdown(context.Context) error { return nil }

func TestAServerThatIsDownIsOnlyALoss(t *testing.T) {
	w := install(t, WithEndpoint("http://127.0.0.1:1"))

	if end := askWeather(t); end != "[c1 weather sunny in Paris 0]" {
		t.Error(end)
	}
	if w.faults.Load() != 0 {
		t.Error("a fault of our own")
	}
}

func TestTheGlobalTracerProviderStaysTheProgramsOwn(t *testing.T) {
	before := otel.GetTracerProvider()
	install(t, WithExporter(tracetest.NewInMemoryExporter()))
	askWeather(t)

	if otel.GetTracerProvider() != before {
		t.Error("the global tracer provider was replaced")
	}
}

func TestARunThatTheProgramDoesNotTraceIsNotTracedBelowIt(t *testing.T) {
	install(t, WithExporter(tracetest.NewInMemoryExporter()))
	unsampled := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	ctx, _ := unsampled.Tracer("program").Start(context.Background(), "request")
	var inside trace.SpanContext
	look := scenarios.Tool("look", func(ctx context.Context, _ scenarios.City) (string, error) {
		inside = trace.SpanContextFromContext(ctx)
		return "", nil
	})
	environment(ctx, WrapTools).Invoke(scenarios.Tools(look), scenarios.Ask("c1", "look", paris))

	if !inside.Equal(trace.SpanContextFromContext(ctx)) {
		t.Error("the tool ran in a span that is not the program's")
	}
}

func TestNothingIsLeftBehindByStreams(t *testing.T) {
	w := install(t, WithExporter(tracetest.NewInMemoryExporter()))
	time.Sleep(10 * time.Millisecond)
	before := runtime.NumGoroutine()
	for range 50 {
		environment(context.Background(), WrapTools).
			Stream(scenarios.Tools(scenarios.Streaming("tell", nil, "a", "b", "c")), scenarios.Ask("c1", "tell", paris))
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines more", after-before)
	}
	if len(w.inFlight()) != 0 {
		t.Error("streams that are over count as running")
	}
}

func TestAHandlerThatIsRegisteredTwiceTellsOnce(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	w := install(t, WithExporter(exporter))
	graph := environment(context.Background(), WrapTools).Graph(scenarios.Tools(scenarios.Weather()))
	_, err := graph.Invoke(context.Background(), scenarios.Asks(scenarios.Ask("c1", "weather", paris)),
		compose.WithCallbacks((&Watch{w}).Handler()))
	if err != nil {
		t.Fatal(err)
	}

	told := settled(t, w, exporter)
	if len(told) != 1 || len(told[0].Attempts) != 1 {
		t.Errorf("%+v", told)
	}
}

func TestAStreamIsOnlyReadAsItsReaderAsks(t *testing.T) {
	produced := make(chan int, 100)
	source, writer := schema.Pipe[int](0)
	go func() {
		defer close(produced)
		defer writer.Close()
		for i := 0; !writer.Send(i, nil); i++ {
			produced <- i
		}
	}()
	var closed bool
	done := make(chan struct{})
	reader := tap(source, tapped[int]{chunk: func(int) {}, done: func(_ error, by bool) { closed = by; close(done) }})
	for range 3 {
		if _, err := reader.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	reader.Close()
	<-done

	count := 0
	for range produced {
		count++
	}
	if count != 3 || !closed {
		t.Errorf("%d chunks were taken, closed: %v", count, closed)
	}
}

func TestNoContentLeavesTheProcessWhenOnlyNamesMay(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	w := install(t, WithExporter(exporter), WithNamesOnly())
	askWeather(t)
	environment(context.Background(), WrapTools).
		Invoke(scenarios.Tools(scenarios.Failing("pay", "no money for Paris")), scenarios.Ask("c2", "pay", paris))
	if err := w.pipe.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}

	for _, span := range exporter.GetSpans() {
		for _, a := range append(span.Attributes, eventAttributes(span)...) {
			if strings.Contains(a.Value.Emit(), "Paris") {
				t.Errorf("%s of %s: %s", a.Key, span.Name, a.Value.Emit())
			}
		}
	}
}

func TestASecretIsHiddenBeforeItIsSent(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	w := install(t, WithExporter(exporter))
	secret := "sk-ant-" + strings.Repeat("a1B2", 10)
	environment(context.Background(), WrapTools).
		Invoke(scenarios.Tools(scenarios.Weather()), scenarios.Ask("c1", "weather", `{"city":"`+secret+`"}`))
	if err := w.pipe.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}

	marked := false
	for _, span := range exporter.GetSpans() {
		for _, a := range span.Attributes {
			if strings.Contains(a.Value.Emit(), secret) {
				t.Errorf("%s of %s", a.Key, span.Name)
			}
			marked = marked || a.Key == names.Redactions
		}
	}
	if !marked {
		t.Error("nothing says that something was hidden")
	}
}

func TestACallIsToldBeforeItsToolRuns(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	w := install(t, WithExporter(exporter))
	started, alive := "", ""
	look := scenarios.Tool("look", func(context.Context, scenarios.City) (string, error) {
		w.pipe.Do(w.alive)
		_ = w.pipe.Flush(context.Background())
		for _, span := range exporter.GetSpans() {
			a := attributes(span)
			switch a[names.Record].AsString() {
			case names.RecordStarted:
				started = a[names.CallKey].AsString()
			case names.RecordAlive:
				alive = strings.Join(a[names.Calls].AsStringSlice(), " ")
			}
		}
		return "", nil
	})
	environment(context.Background(), WrapTools).Invoke(scenarios.Tools(look), scenarios.Ask("c1", "look", paris))

	if started == "" || alive != started {
		t.Errorf("while the tool ran, its start was %q and in flight was %q", started, alive)
	}
}

func TestTheRulesForHidingNeedNoFile(t *testing.T) {
	if os.Getenv("TOOLWATCH_BARE") != "" {
		install(t, WithExporter(tracetest.NewInMemoryExporter()))
		return
	}
	bare := exec.Command(os.Args[0], "-test.run", t.Name())
	bare.Dir, bare.Env = t.TempDir(), []string{"TOOLWATCH_BARE=1"}
	if out, err := bare.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
