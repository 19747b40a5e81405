package redaction

import (
	"runtime/debug"
	"strings"
	"testing"
)

// BenchmarkStack is a text of the kind that comes with a panic, at its longest.
func BenchmarkStack(b *testing.B) {
	r, err := New()
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(string(debug.Stack()), 8)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}
