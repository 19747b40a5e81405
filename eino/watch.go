package toolwatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cloudwego/eino/callbacks"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolwatch/toolwatch/eino/internal/pipeline"
)

const pulse = 5 * time.Second

// watch is what one installation knows: how to send, which tools run now, and which calls were paused.
type watch struct {
	pipe   *pipeline.Pipeline
	tracer trace.Tracer
	hide   hider
	names  bool // send no content
	faults atomic.Int64
	paused *paused

	mu      sync.Mutex
	running map[*attempt]string
	quit    chan struct{}
}

func newWatch(pipe *pipeline.Pipeline, hide hider, namesOnly bool) *watch {
	w := &watch{
		pipe: pipe, tracer: pipe.Tracer("toolwatch", Version), hide: hide, names: namesOnly,
		paused: newPaused(), running: map[*attempt]string{}, quit: make(chan struct{}),
	}
	go w.beat(pulse)
	return w
}

// harmless keeps a fault of ours from becoming one of the program that is watched.
func (w *watch) harmless() {
	if recover() != nil {
		w.faults.Add(1)
	}
}

func (w *watch) agentStarted(ctx context.Context, f frame, info *callbacks.RunInfo) context.Context {
	f.agent = info.Name
	if f.runID == "" {
		f.runID = newID()
	}
	f.root, f.turn, f.batch, f.call = false, nil, nil, nil
	return put(ctx, f, info)
}

func (w *watch) began(a *attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[a] = a.key
}

func (w *watch) over(a *attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running, a)
}

// inFlight are the keys of the calls whose tools run now.
func (w *watch) inFlight() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	keys := make([]string, 0, len(w.running))
	for _, key := range w.running {
		keys = append(keys, key)
	}
	return keys
}

// beat says every while that the process lives, as long as there is anything to say.
func (w *watch) beat(every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			w.pipe.Do(w.alive)
		case <-w.quit:
			return
		}
	}
}

// stop ends the beat, once.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.quit:
	default:
		close(w.quit)
	}
}
