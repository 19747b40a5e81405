// Package wire has the JSON values that records carry, as docs/wire.md of the project defines them.
package wire

import "encoding/json"

// Request is a call that a model, or the input of a run, asked for.
type Request struct {
	Key       string  `json:"key"`
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Kind      string  `json:"kind"`
	Position  int     `json:"position"`
	Arguments *string `json:"arguments"`
	ParentKey *string `json:"parent_key"`
	MessageID *string `json:"message_id,omitempty"`
	GroupID   *string `json:"group_id,omitempty"`
	GroupSize *int    `json:"group_size,omitempty"`
}

// Sight is what a model was shown about a call asked for before; a nil content is the answer's own.
type Sight struct {
	Key     string  `json:"key"`
	Content *string `json:"content"`
}

// Failure is an error of the program that is watched.
type Failure struct {
	Type    string  `json:"type"`
	Message string  `json:"message"`
	Stack   *string `json:"stack"`
}

// Dispatch says that a tools node took up a call, whether or not anything ran.
type Dispatch struct {
	Key       string   `json:"key"`
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Arguments *string  `json:"arguments"`
	MessageID *string  `json:"message_id"`
	Position  int      `json:"position"`
	GroupID   string   `json:"group_id"`
	GroupSize int      `json:"group_size"`
	ParentKey *string  `json:"parent_key"`
	StartedNs int64    `json:"started_ns"`
	EndedNs   *int64   `json:"ended_ns"`
	Cause     string   `json:"cause"`
	Unknown   bool     `json:"unknown"`
	HandledBy *string  `json:"handled_by"`
	Error     *Failure `json:"error"`
	Masked    *Failure `json:"masked"`
	Interrupt *string  `json:"interrupt"`
	Attempts  []string `json:"attempts"`
	State     string   `json:"state"`
}

// Part is a part of a result that is not text; its bytes are not sent.
type Part struct {
	Type     string  `json:"type"`
	MimeType *string `json:"mime_type"`
	Bytes    *int    `json:"bytes"`
}

// Answer is a message that a node wrote for a call.
type Answer struct {
	Key          string  `json:"key"`
	ID           string  `json:"id"`
	Status       *string `json:"status"`
	Content      *string `json:"content"`
	Parts        []Part  `json:"parts"`
	Bytes        *int    `json:"bytes"`
	Truncated    bool    `json:"truncated"`
	SameAsResult bool    `json:"same_as_result"`
	By           *string `json:"by"`
	Delivered    bool    `json:"delivered"`
	AtNs         int64   `json:"at_ns"`
}

// Problem is what is wrong with one field of the arguments.
type Problem struct {
	Field    string  `json:"field"`
	Reason   string  `json:"reason"`
	Expected *string `json:"expected"`
	Received *string `json:"received"`
}

// Mark counts the values that a rule hid in one place.
type Mark struct {
	Key   string `json:"key,omitempty"`
	Where string `json:"where"`
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// JSON encodes any of the values above; they hold nothing that cannot be encoded.
func JSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "[]"
	}
	return string(text)
}

// Said is a pointer to a value that was said; the wire tells it from one that was not.
func Said[T any](value T) *T { return &value }
