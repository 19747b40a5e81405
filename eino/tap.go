package toolwatch

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/cloudwego/eino/schema"
)

// tapped, whose functions must not panic, is told what became of a stream: done once, with the error that was in it, or with closed when
// whoever read it stopped before its end.
type tapped[T any] struct {
	chunk func(T)
	done  func(err error, closed bool)
}

// tap looks at a stream as it is read, and takes nothing from it ahead of its reader: each chunk is asked for
// when the reader asks. The reader's Close stops the source as it would without the tap.
func tap[T any](source *schema.StreamReader[T], to tapped[T]) *schema.StreamReader[T] {
	demands, demand := schema.Pipe[struct{}](0)
	demands.SetAutomaticClose() // closing it twice is allowed then: here at the end, and by the reader
	t := &tapState[T]{source: source, to: to}
	go func() {
		defer source.Close()
		defer demand.Close()
		for !demand.Send(struct{}{}, nil) {
		}
		t.end(nil, true)
	}()
	return schema.StreamReaderWithConvert(demands, func(struct{}) (T, error) {
		item, err := t.next()
		if errors.Is(err, io.EOF) {
			demands.Close()
		}
		return item, err
	})
}

type tapState[T any] struct {
	source *schema.StreamReader[T]
	to     tapped[T]
	over   atomic.Bool
	once   sync.Once
	err    error // of the reader's goroutine
}

func (t *tapState[T]) next() (T, error) {
	var none T
	if t.over.Load() {
		return none, io.EOF
	}
	item, err := t.source.Recv()
	switch {
	case err == nil:
		t.to.chunk(item)
	case errors.Is(err, io.EOF):
		t.end(t.err, false)
		return none, io.EOF
	case t.err == nil:
		t.err = err
		t.end(err, false)
	}
	return item, err
}

// end tells of the first end of the stream: an error in it, its last chunk, or a reader that went away.
func (t *tapState[T]) end(err error, closed bool) {
	if err == nil {
		t.over.Store(true)
	}
	t.once.Do(func() { t.to.done(err, closed) })
}
