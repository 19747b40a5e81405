package toolwatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/cloudwego/eino/callbacks"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolwatch/toolwatch/eino/internal/pipeline"
	"github.com/toolwatch/toolwatch/eino/internal/redaction"
)

// Version is the version of this module.
const Version = "0.1.0"

const defaultEndpoint = "http://127.0.0.1:4318"

var (
	installing sync.Mutex
	installed  *Watch
)

// Watch is an installed instrumentation.
type Watch struct{ w *watch }

// Option changes what Instrument does.
type Option func(*settings)

type settings struct {
	endpoint string
	headers  map[string]string
	service  string
	names    bool
	exporter sdktrace.SpanExporter
}

// WithEndpoint is the address of the server, such as http://toolwatch.internal:4318. Without it the variables
// OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT count, and then this machine's port 4318.
func WithEndpoint(url string) Option { return func(s *settings) { s.endpoint = url } }

// WithHeaders are sent with every request, beside those of OTEL_EXPORTER_OTLP_HEADERS.
func WithHeaders(headers map[string]string) Option { return func(s *settings) { s.headers = headers } }

// WithServiceName is what the program is called on the pages; OTEL_SERVICE_NAME without it.
func WithServiceName(name string) Option { return func(s *settings) { s.service = name } }

// WithNamesOnly sends no arguments, results, messages or stacks: names, types, sizes and times only.
func WithNamesOnly() Option { return func(s *settings) { s.names = true } }

// WithExporter sends the spans elsewhere than to an OTLP/HTTP endpoint.
func WithExporter(exporter sdktrace.SpanExporter) Option {
	return func(s *settings) { s.exporter = exporter }
}

// Instrument watches every tool call of every Eino graph and agent of this process, from the next run on.
// It has to be called before the first run starts, since Eino's list of global callbacks is not guarded. A
// second call changes nothing and returns the first one's result. An error says that nothing is watched;
// the program can go on without.
func Instrument(ctx context.Context, options ...Option) (*Watch, error) {
	installing.Lock()
	defer installing.Unlock()
	if installed != nil {
		return installed, nil
	}
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return &Watch{}, nil
	}
	w, err := newWatchWith(ctx, options)
	if err != nil {
		return nil, err
	}
	installed = &Watch{w: w}
	callbacks.AppendGlobalHandlers(handler{w})
	return installed, nil
}

// Handler is the callback handler itself, for a program that does without global ones: it is handed to each
// run, with compose.WithCallbacks or adk.WithCallbacks. Beside a global one it changes nothing.
func (w *Watch) Handler() callbacks.Handler { return handler{w.w} }

// Flush returns when all that has ended has been sent, or with the error of ctx.
func (w *Watch) Flush(ctx context.Context) error {
	if w == nil || w.w == nil {
		return nil
	}
	return w.w.pipe.Flush(ctx)
}

// Shutdown sends what is left and stops watching.
func (w *Watch) Shutdown(ctx context.Context) error {
	if w == nil || w.w == nil {
		return nil
	}
	w.w.stop()
	return w.w.pipe.Shutdown(ctx)
}

func newWatchWith(ctx context.Context, options []Option) (*watch, error) {
	var s settings
	for _, option := range options {
		option(&s)
	}
	hide, err := redaction.New()
	if err != nil {
		return nil, fmt.Errorf("toolwatch: the rules for hiding secrets cannot be read: %w", err)
	}
	exporter := s.exporter
	if exporter == nil {
		if exporter, err = s.otlp(ctx); err != nil {
			return nil, fmt.Errorf("toolwatch: no exporter for %q: %w", s.endpoint, err)
		}
	}
	res, err := s.resource(ctx)
	if err != nil {
		return nil, fmt.Errorf("toolwatch: this process cannot be described: %w", err)
	}
	return newWatch(pipeline.New(exporter, res), hide, s.names), nil
}

func (s settings) otlp(ctx context.Context) (sdktrace.SpanExporter, error) {
	var options []otlptracehttp.Option
	switch {
	case s.endpoint != "":
		options = append(options, otlptracehttp.WithEndpointURL(s.endpoint+"/v1/traces"))
	case os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "":
		options = append(options, otlptracehttp.WithEndpointURL(defaultEndpoint+"/v1/traces"))
	}
	if len(s.headers) > 0 {
		options = append(options, otlptracehttp.WithHeaders(s.headers))
	}
	return otlptracehttp.New(ctx, options...)
}

func (s settings) resource(ctx context.Context) (*resource.Resource, error) {
	own := []attribute.KeyValue{
		attribute.String("service.instance.id", newID()),
		attribute.String("telemetry.distro.name", "toolwatch"),
		attribute.String("telemetry.distro.version", Version),
	}
	if s.service != "" {
		own = append(own, attribute.String("service.name", s.service))
	}
	res, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithProcessPID(), resource.WithFromEnv(),
		resource.WithAttributes(own...))
	if errors.Is(err, resource.ErrPartialResource) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return resource.Merge(resource.Default(), res)
}
