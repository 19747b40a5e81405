// Package pipeline takes records off the threads of the program that is watched, and sends them.
package pipeline

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const (
	capacity  = 8192
	mostSpans = 512
	patience  = 10 * time.Second
)

// ErrClosed says that the pipeline has been shut down.
var ErrClosed = errors.New("toolwatch: already shut down")

// Pipeline runs jobs one after the other on a goroutine of its own and exports the spans that they end
// as soon as no job waits. It never blocks who hands in a job: what a full queue refuses is counted.
type Pipeline struct {
	exporter sdktrace.SpanExporter
	provider *sdktrace.TracerProvider
	jobs     chan func()
	stop     chan struct{}
	stopped  chan struct{}
	once     sync.Once
	dropped  atomic.Int64
	closed   atomic.Bool
	ready    []sdktrace.ReadOnlySpan // of the worker alone
}

// New starts the worker. The provider is the pipeline's own and never becomes the global one.
func New(exporter sdktrace.SpanExporter, res *resource.Resource) *Pipeline {
	p := &Pipeline{
		exporter: exporter,
		jobs:     make(chan func(), capacity),
		stop:     make(chan struct{}),
		stopped:  make(chan struct{}),
	}
	p.provider = sdktrace.NewTracerProvider(
		sdktrace.WithSpanProcessor(collector{p}),
		sdktrace.WithResource(res),
		sdktrace.WithSampler(sdktrace.AlwaysSample()),
		sdktrace.WithRawSpanLimits(sdktrace.SpanLimits{
			AttributeValueLengthLimit: -1, AttributeCountLimit: -1, EventCountLimit: -1, LinkCountLimit: -1,
			AttributePerEventCountLimit: -1, AttributePerLinkCountLimit: -1,
		}),
	)
	go p.work()
	return p
}

// Tracer starts the spans. They have to be ended inside of jobs.
func (p *Pipeline) Tracer(name, version string) trace.Tracer {
	return p.provider.Tracer(name, trace.WithInstrumentationVersion(version))
}

// Do hands in a job; a panic in it loses that job alone.
func (p *Pipeline) Do(job func()) {
	if p.closed.Load() {
		return
	}
	select {
	case p.jobs <- job:
	default:
		p.dropped.Add(1)
	}
}

// Dropped is how many records were lost since it was last asked.
func (p *Pipeline) Dropped() int64 { return p.dropped.Swap(0) }

// Flush returns when all that was handed in before has been sent, or with the error of ctx.
func (p *Pipeline) Flush(ctx context.Context) error {
	done := make(chan struct{})
	flushed := func() {
		p.export()
		close(done)
	}
	select {
	case p.jobs <- flushed:
	case <-p.stopped:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-p.stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Shutdown sends what is there and ends the worker. Jobs that come later are refused.
func (p *Pipeline) Shutdown(ctx context.Context) error {
	p.closed.Store(true)
	err := p.Flush(ctx)
	p.once.Do(func() { close(p.stop) })
	if errors.Is(err, ErrClosed) {
		return nil
	}
	select {
	case <-p.stopped:
	case <-ctx.Done():
		return ctx.Err()
	}
	return errors.Join(err, p.exporter.Shutdown(ctx))
}

func (p *Pipeline) work() {
	defer close(p.stopped)
	for {
		select {
		case job := <-p.jobs:
			p.run(job)
			if len(p.jobs) == 0 || len(p.ready) >= mostSpans {
				p.export()
			}
		case <-p.stop:
			return
		}
	}
}

func (p *Pipeline) run(job func()) {
	defer func() {
		if recover() != nil {
			p.dropped.Add(1)
		}
	}()
	job()
}

func (p *Pipeline) export() {
	if len(p.ready) == 0 {
		return
	}
	spans := p.ready
	p.ready = nil
	defer func() {
		if recover() != nil {
			p.dropped.Add(int64(len(spans)))
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.exporter.ExportSpans(ctx, spans); err != nil {
		p.dropped.Add(int64(len(spans)))
	}
}

// collector hands ended spans to the worker, which is the one that ends them.
type collector struct{ p *Pipeline }

func (c collector) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (c collector) OnEnd(span sdktrace.ReadOnlySpan)                { c.p.ready = append(c.p.ready, span) }
func (c collector) Shutdown(context.Context) error                  { return nil }
func (c collector) ForceFlush(context.Context) error                { return nil }
