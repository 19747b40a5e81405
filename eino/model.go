package toolwatch

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// WrapModel makes a model tell what it asked for in answers that are streamed. Only such calls need it that no
// tools node takes up: react's stream checker, for one, looks no further than the first chunk, so calls that
// follow a text are dropped without a word. The stream is seen as it is read, never ahead of its reader.
func WrapModel(inner model.ToolCallingChatModel) model.ToolCallingChatModel {
	return watchedModel{inner}
}

type watchedModel struct{ inner model.ToolCallingChatModel }

var (
	_ components.Checker = watchedModel{}
	_ components.Typer   = watchedModel{}
)

func (m watchedModel) Generate(
	ctx context.Context, input []*schema.Message, options ...model.Option,
) (*schema.Message, error) {
	return m.inner.Generate(ctx, input, options...)
}

func (m watchedModel) Stream(
	ctx context.Context, input []*schema.Message, options ...model.Option,
) (*schema.StreamReader[*schema.Message], error) {
	stream, err := m.inner.Stream(ctx, input, options...)
	r := frameOf(ctx).run
	if err != nil || stream == nil || r == nil {
		return stream, err
	}
	var chunks []*schema.Message
	over := r.streaming()
	return tap(stream, tapped[*schema.Message]{
		chunk: func(chunk *schema.Message) {
			defer r.w.harmless()
			chunks = append(chunks, pieceOf(chunk))
		},
		done: func(error, bool) {
			defer r.w.harmless()
			defer over()
			r.streamed(chunks)
		},
	}), nil
}

// pieceOf is the part of a chunk that matters, so that the chunk is not held.
func pieceOf(chunk *schema.Message) *schema.Message {
	if chunk == nil {
		return &schema.Message{Role: schema.Assistant}
	}
	return &schema.Message{
		Role: chunk.Role, Content: chunk.Content, ToolCalls: slices.Clone(chunk.ToolCalls), ResponseMeta: chunk.ResponseMeta,
	}
}

// streamed tells the last turn whose answer is not known what was in it.
func (r *run) streamed(chunks []*schema.Message) {
	whole, err := schema.ConcatMessages(chunks)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range slices.Backward(r.turns) {
		if !t.known && !t.taken {
			t.reads(readMessage(whole))
			t.ended = time.Now()
			return
		}
	}
}

func (m watchedModel) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	bound, err := m.inner.WithTools(tools)
	if err != nil || bound == nil {
		return bound, err
	}
	return watchedModel{bound}, nil
}

// IsCallbacksEnabled is the inner model's answer.
func (m watchedModel) IsCallbacksEnabled() bool { return components.IsCallbacksEnabled(m.inner) }

// GetType is the inner model's type.
func (m watchedModel) GetType() string {
	if name, ok := components.GetType(m.inner); ok {
		return name
	}
	return reflect.Indirect(reflect.ValueOf(m.inner)).Type().Name()
}
