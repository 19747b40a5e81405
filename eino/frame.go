package toolwatch

import (
	"context"

	"github.com/cloudwego/eino/callbacks"
)

// frame is what a context says about where in an agent it is. It is never changed, only replaced.
type frame struct {
	of      *callbacks.RunInfo // the component that put it there
	runID   string             // of the outermost run
	agent   string
	run     *run // nil inside a tool, until a graph starts there
	root    bool // that component is the one that the run is about
	batch   *batch
	call    *call    // the call that a middleware of ours has taken up
	attempt *attempt // the tool whose body this is
	turn    *turn
}

type (
	frameKey  struct{}
	threadKey struct{}
)

// WithThread names the conversation that runs with this context belong to. Calls that pause in one process
// and go on in another one are one lifecycle only if their thread is known, or if Eino numbers its messages
// (agents of the adk package do, from Eino v0.9.0 on).
func WithThread(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, threadKey{}, id)
}

func threadOf(ctx context.Context) string {
	id, _ := ctx.Value(threadKey{}).(string)
	return id
}

func frameOf(ctx context.Context) frame {
	if f, ok := ctx.Value(frameKey{}).(*frame); ok {
		return *f
	}
	return frame{}
}

// put says that what happens with this context happens inside of the component.
func put(ctx context.Context, f frame, of *callbacks.RunInfo) context.Context {
	f.of = of
	return context.WithValue(ctx, frameKey{}, &f)
}
