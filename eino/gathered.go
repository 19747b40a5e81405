package toolwatch

import (
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

// gathered is what has been seen of a stream: its text up to a limit, and all of its size.
type gathered struct {
	text  strings.Builder
	bytes int
	parts []wire.Part
}

func (g *gathered) add(text string, parts []wire.Part) {
	g.bytes += len(text)
	if room := longestBytes - g.text.Len(); room > 0 {
		g.text.WriteString(cut(text, min(len(text), room)))
	}
	g.parts = append(g.parts, parts...)
}

// tapCall watches what a call gives away as a stream.
func tapCall[T any](
	c *call, source *schema.StreamReader[T], add func(g *gathered, chunk T),
) *schema.StreamReader[T] {
	g := &gathered{}
	over := c.b.r.streaming()
	return tap(source, tapped[T]{
		chunk: func(chunk T) {
			defer c.b.r.w.harmless()
			add(g, chunk)
		},
		done: func(err error, closed bool) {
			defer c.b.r.w.harmless()
			defer over()
			c.streamed(g, err, closed)
		},
	})
}

// streamed is the end of the stream that a call gave away.
func (c *call) streamed(g *gathered, err error, closed bool) {
	c.b.r.mu.Lock()
	defer c.b.r.mu.Unlock()
	outcome, failure := attemptOK, (*wire.Failure)(nil)
	switch {
	case err != nil:
		outcome, failure = judge(err)
	case closed:
		outcome, failure = attemptCancelled, &wire.Failure{
			Type: "stream closed", Message: "whoever read the tool's stream closed it before its end",
		}
	}
	if a := c.last(); a != nil && a.waiting() {
		a.took(g.text.String(), g.parts, "")
		a.finish(outcome, failure)
	}
	if outcome == attemptOK {
		c.output(g.text.String(), g.parts, g.bytes)
	} else {
		c.mute, c.failure = true, failure
	}
	c.b.sendIfComplete()
}

// output is what leaves the outermost middleware for the node to make a message of. The caller holds mu.
func (c *call) output(text string, parts []wire.Part, bytes int) {
	c.out = &answer{text: text, parts: parts, bytes: bytes}
	if c.b.given {
		c.settle()
	}
}
