package toolwatch

import "sync"

const mostPaused = 1024

// past is what a run that goes on has to know of the one that paused.
type past struct {
	scope  string
	group  string
	before bool // it paused before the tools
}

// paused remembers messages whose calls wait, the youngest 1024 of them.
type paused struct {
	mu    sync.Mutex
	known map[string]past
	order []string
}

func newPaused() *paused { return &paused{known: map[string]past{}} }

func (p *paused) keep(thread, print string, what past) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := thread + "\x1f" + print
	if _, old := p.known[key]; !old {
		p.order = append(p.order, key)
	}
	p.known[key] = what
	for len(p.order) > mostPaused {
		delete(p.known, p.order[0])
		p.order = p.order[1:]
	}
}

func (p *paused) find(thread, print string) (past, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what, ok := p.known[thread+"\x1f"+print]
	return what, ok
}
