package redaction

import "sync"

const (
	longestRemembered = 512
	mostRemembered    = 4096
)

// cleanTexts are short texts in which no secret was found: the same arguments stand in several records of a
// call. A text with a secret is never remembered.
type cleanTexts struct {
	mu    sync.Mutex
	known map[string]struct{}
}

func (c *cleanTexts) has(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.known[text]
	return ok
}

func (c *cleanTexts) add(text string) {
	if len(text) > longestRemembered {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= mostRemembered {
		c.known = map[string]struct{}{}
	}
	c.known[text] = struct{}{}
}
