package toolwatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/google/uuid"
)

const einoMessageID = "_eino_msg_id" // set by adk from Eino v0.9.0 on, and kept in checkpoints

// asked is the part of an assistant's message that matters: copied, so that the message is not held.
type asked struct {
	id    string // Eino's, or ""
	print string // the same for the same message
	calls []schema.ToolCall
	meta  *schema.ResponseMeta
}

func newID() string { return uuid.NewString() }

func readMessage(message *schema.Message) asked {
	if message == nil {
		return asked{}
	}
	id, _ := message.Extra[einoMessageID].(string)
	a := asked{id: id, calls: append([]schema.ToolCall(nil), message.ToolCalls...)}
	if message.ResponseMeta != nil {
		meta := *message.ResponseMeta
		a.meta = &meta
	}
	a.print = fingerprint(message)
	return a
}

// fingerprint stands for the id that Eino's messages lack: a resumed run reads the same message from its
// checkpoint and so arrives at the same one.
func fingerprint(message *schema.Message) string {
	sum := sha256.New()
	write := func(text string) {
		sum.Write([]byte(strconv.Itoa(len(text))))
		sum.Write([]byte{0x1f})
		sum.Write([]byte(text))
	}
	write(message.Content)
	for _, call := range message.ToolCalls {
		write(call.ID)
		write(call.Function.Name)
		write(call.Function.Arguments)
	}
	return "m" + hex.EncodeToString(sum.Sum(nil)[:12])
}

// group is what the calls of one message are known by; nth tells equal messages of one conversation apart.
func (a asked) group(nth int) string {
	switch {
	case a.id != "":
		return a.id
	case nth > 0:
		return a.print + "-" + strconv.Itoa(nth)
	}
	return a.print
}

// countPrints counts the messages in a conversation that asked for calls.
func countPrints(messages []*schema.Message) map[string]int {
	counts := map[string]int{}
	for _, message := range messages {
		if message != nil && len(message.ToolCalls) > 0 {
			counts[fingerprint(message)]++
		}
	}
	return counts
}

// carried is what a tools node has kept over a pause.
type carried struct {
	Input                 *schema.Message
	ExecutedTools         map[string]json.RawMessage
	ExecutedEnhancedTools map[string]json.RawMessage
}

// has says whether a call is answered with what an earlier run of its tool returned.
func (c carried) has(callID string) bool {
	_, plain := c.ExecutedTools[callID]
	_, enhanced := c.ExecutedEnhancedTools[callID]
	return plain || enhanced
}

// answer is what a call is answered with after a pause.
func (c carried) answer(callID string) *answer {
	var text string
	if json.Unmarshal(c.ExecutedTools[callID], &text) == nil {
		return &answer{at: time.Now(), text: text, bytes: len(text)}
	}
	var result *schema.ToolResult
	if json.Unmarshal(c.ExecutedEnhancedTools[callID], &result) != nil {
		return &answer{at: time.Now(), unknown: true}
	}
	text, parts, _ := toolResult(result)
	return &answer{at: time.Now(), text: text, parts: parts, bytes: len(text)}
}

// keptState reads what the node left in the checkpoint. Its type is Eino's own, its fields are not.
func keptState(ctx context.Context) (carried, bool) {
	resumed, has, state := compose.GetInterruptState[any](ctx)
	var kept carried
	if !resumed || !has {
		return kept, resumed
	}
	text, err := json.Marshal(state)
	if err != nil || json.Unmarshal(text, &kept) != nil {
		return carried{}, resumed
	}
	return kept, resumed
}

// messagesOf reads a stream of lists that hold one message each, and puts the chunks of each together.
func messagesOf[T any](stream *schema.StreamReader[T]) []*schema.Message {
	defer stream.Close()
	var chunks [][]*schema.Message
	for {
		item, err := stream.Recv()
		if err != nil {
			break
		}
		if list, ok := any(item).([]*schema.Message); ok {
			chunks = append(chunks, list)
		}
	}
	if len(chunks) == 0 {
		return nil
	}
	whole, err := schema.ConcatMessageArray(chunks)
	if err != nil {
		return nil
	}
	return whole
}
