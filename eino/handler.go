package toolwatch

import (
	"context"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

const componentOfAgent components.Component = "Agent" // adk's, which is not imported for one word

// handler tells Eino's callbacks apart. Whatever goes wrong in it, the program that is watched goes on.
type handler struct{ w *watch }

var (
	_ callbacks.Handler       = handler{}
	_ callbacks.TimingChecker = handler{}
)

// Needed says for what Eino has to make copies of streams; other events would only cost time.
func (h handler) Needed(_ context.Context, info *callbacks.RunInfo, timing callbacks.CallbackTiming) bool {
	if info == nil || h.w == nil {
		return false
	}
	switch info.Component {
	case compose.ComponentOfGraph, compose.ComponentOfChain, compose.ComponentOfWorkflow:
		return true
	case compose.ComponentOfToolsNode, components.ComponentOfTool, components.ComponentOfChatModel:
		return timing != callbacks.TimingOnStartWithStreamInput
	case componentOfAgent:
		return timing == callbacks.TimingOnStart
	}
	return false
}

func (h handler) OnStart(
	ctx context.Context, info *callbacks.RunInfo, input callbacks.CallbackInput,
) (out context.Context) {
	out = ctx
	defer h.w.harmless()
	f := frameOf(ctx)
	if info == nil || f.of == info {
		return ctx // registered twice, globally and for this run
	}
	switch info.Component {
	case compose.ComponentOfGraph, compose.ComponentOfChain, compose.ComponentOfWorkflow:
		return h.w.graphStarted(ctx, f, info)
	case componentOfAgent:
		return h.w.agentStarted(ctx, f, info)
	case components.ComponentOfChatModel:
		return h.w.modelStarted(ctx, f, info, model.ConvCallbackInput(input))
	case compose.ComponentOfToolsNode:
		message, _ := input.(*schema.Message)
		return h.w.batchStarted(ctx, f, info, message)
	case components.ComponentOfTool:
		return h.w.attemptStarted(ctx, f, info, tool.ConvCallbackInput(input))
	}
	return ctx
}

func (h handler) OnEnd(
	ctx context.Context, info *callbacks.RunInfo, output callbacks.CallbackOutput,
) context.Context {
	defer h.w.harmless()
	f := frameOf(ctx)
	if info == nil || f.of != info {
		return ctx
	}
	switch {
	case f.root:
		f.run.ended(nil)
	case f.turn != nil:
		f.turn.answered(model.ConvCallbackOutput(output))
	case f.attempt != nil:
		f.attempt.returned(tool.ConvCallbackOutput(output))
	case f.batch != nil:
		messages, _ := output.([]*schema.Message)
		f.batch.answered(messages)
	}
	return ctx
}

func (h handler) OnError(ctx context.Context, info *callbacks.RunInfo, err error) context.Context {
	defer h.w.harmless()
	f := frameOf(ctx)
	if info == nil || f.of != info || err == nil {
		return ctx
	}
	switch {
	case f.root:
		f.run.ended(err)
	case f.attempt != nil:
		f.attempt.failed(err)
	case f.batch != nil:
		f.batch.failed(err)
	}
	return ctx
}

func (h handler) OnStartWithStreamInput(
	ctx context.Context, info *callbacks.RunInfo, input *schema.StreamReader[callbacks.CallbackInput],
) (out context.Context) {
	out = ctx
	defer h.w.harmless()
	input.Close()
	f := frameOf(ctx)
	if info == nil || f.of == info {
		return ctx
	}
	return h.w.graphStarted(ctx, f, info)
}

// OnEndWithStreamOutput gives the copy of the stream back at once: reading it would take from the program
// that is watched the power to stop the one who produces it.
func (h handler) OnEndWithStreamOutput(
	ctx context.Context, info *callbacks.RunInfo, output *schema.StreamReader[callbacks.CallbackOutput],
) context.Context {
	defer h.w.harmless()
	f := frameOf(ctx)
	if info != nil && f.of == info && f.batch != nil && f.attempt == nil && f.batch.harmlessToRead() {
		f.batch.answered(messagesOf(output))
		return ctx
	}
	output.Close()
	if info == nil || f.of != info {
		return ctx
	}
	switch {
	case f.root:
		f.run.ended(nil)
	case f.turn != nil:
		f.turn.handedOver()
	case f.attempt != nil:
		f.attempt.handedOver()
	case f.batch != nil:
		f.batch.handedOver()
	}
	return ctx
}
