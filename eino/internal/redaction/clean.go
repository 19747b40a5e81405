package redaction

import "sync"

const (
	longestRememberedBytes = 16 << 10
	mostRememberedBytes    = 4 << 20
)

// cleanTexts are texts in which no secret was found: the same arguments and stacks stand in several records of
// a call. A text with a secret is never remembered.
type cleanTexts struct {
	mu    sync.Mutex
	known map[string]struct{}
	bytes int
}

func (c *cleanTexts) has(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.known[text]
	return ok
}

func (c *cleanTexts) add(text string) {
	if len(text) > longestRememberedBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || c.bytes > mostRememberedBytes {
		c.known, c.bytes = map[string]struct{}{}, 0
	}
	c.known[text] = struct{}{}
	c.bytes += len(text)
}
