package toolwatch

import (
	"context"
	"slices"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

// WrapTools makes a tools node tell more than its callbacks can: which calls a middleware or the handler of
// unknown tools has answered, which errors they hid, whose arguments a handler refused, in which call a panic
// happened, and how a stream went on. It changes nothing that the program can see, except that the config
// holds one more middleware. Call it once, before the node or the agent is made:
//
//	toolwatch.WrapTools(&config)                              // compose, react: &config.ToolsConfig
//	toolwatch.WrapTools(&config.ToolsConfig.ToolsNodeConfig)  // adk, deep
func WrapTools(config *compose.ToolsNodeConfig) {
	middleware := compose.ToolMiddleware{
		Invokable: invokable, Streamable: streamable,
		EnhancedInvokable: enhancedInvokable, EnhancedStreamable: enhancedStreamable,
	}
	config.ToolCallMiddlewares = append([]compose.ToolMiddleware{middleware}, config.ToolCallMiddlewares...)
	if handle := config.UnknownToolsHandler; handle != nil {
		config.UnknownToolsHandler = unknownTools(handle)
	}
	if handle := config.ToolArgumentsHandler; handle != nil {
		config.ToolArgumentsHandler = toolArguments(handle)
	}
}

func invokable(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
	return func(ctx context.Context, input *compose.ToolInput) (*compose.ToolOutput, error) {
		inner, c := enter(ctx, input)
		if c == nil {
			return next(ctx, input)
		}
		defer c.unwinding()()
		output, err := next(inner, input)
		c.leaves(err)
		if err == nil && output != nil {
			c.leavesWith(output.Result, nil)
		}
		return output, err
	}
}

func enhancedInvokable(next compose.EnhancedInvokableToolEndpoint) compose.EnhancedInvokableToolEndpoint {
	return func(ctx context.Context, input *compose.ToolInput) (*compose.EnhancedInvokableToolOutput, error) {
		inner, c := enter(ctx, input)
		if c == nil {
			return next(ctx, input)
		}
		defer c.unwinding()()
		output, err := next(inner, input)
		c.leaves(err)
		if err == nil && output != nil {
			text, parts, _ := toolResult(output.Result)
			c.leavesWith(text, parts)
		}
		return output, err
	}
}

func streamable(next compose.StreamableToolEndpoint) compose.StreamableToolEndpoint {
	return func(ctx context.Context, input *compose.ToolInput) (*compose.StreamToolOutput, error) {
		inner, c := enter(ctx, input)
		if c == nil {
			return next(ctx, input)
		}
		defer c.unwinding()()
		output, err := next(inner, input)
		c.leaves(err)
		if err != nil || output == nil || output.Result == nil {
			return output, err
		}
		watched := *output
		watched.Result = tapCall(c, output.Result, func(g *gathered, chunk string) { g.add(chunk, nil) })
		return &watched, nil
	}
}

func enhancedStreamable(next compose.EnhancedStreamableToolEndpoint) compose.EnhancedStreamableToolEndpoint {
	return func(ctx context.Context, input *compose.ToolInput) (*compose.EnhancedStreamableToolOutput, error) {
		inner, c := enter(ctx, input)
		if c == nil {
			return next(ctx, input)
		}
		defer c.unwinding()()
		output, err := next(inner, input)
		c.leaves(err)
		if err != nil || output == nil || output.Result == nil {
			return output, err
		}
		watched := *output
		watched.Result = tapCall(c, output.Result, func(g *gathered, chunk *schema.ToolResult) {
			text, parts, _ := toolResult(chunk)
			g.add(text, parts)
		})
		return &watched, nil
	}
}

// enter finds the call that a middleware is asked to run; nil where nobody watches, or another middleware
// of ours is already around it.
func enter(ctx context.Context, input *compose.ToolInput) (inner context.Context, c *call) {
	inner = ctx
	f := frameOf(ctx)
	if f.batch == nil || f.call != nil || input == nil {
		return ctx, nil
	}
	defer f.batch.r.w.harmless()
	return take(ctx, f, input.CallID, input.Name, input.Arguments)
}

func take(ctx context.Context, f frame, id, name, arguments string) (context.Context, *call) {
	f.batch.r.mu.Lock()
	defer f.batch.r.mu.Unlock()
	c := f.batch.find(id, name, arguments, func(c *call) bool { return !c.wrapped && !c.carried })
	if c == nil {
		return ctx, nil
	}
	c.wrapped = true
	f.call = c
	return put(ctx, f, f.of), c
}

// unwinding notices a panic on its way out, without stopping it: its stack stays what it was.
func (c *call) unwinding() func() {
	return func() {
		c.b.r.mu.Lock()
		defer c.b.r.mu.Unlock()
		c.gone = !c.came
	}
}

// leaves is the end of all middlewares.
func (c *call) leaves(err error) {
	defer c.b.r.w.harmless()
	c.b.r.mu.Lock()
	defer c.b.r.mu.Unlock()
	c.came = true
	c.short = len(c.attempts) == 0
	if err == nil {
		return
	}
	if outcome, failure := judge(err); outcome != attemptPaused {
		c.left = failure
	}
}

// leavesWith is what the middlewares answer with.
func (c *call) leavesWith(text string, parts []wire.Part) {
	defer c.b.r.w.harmless()
	c.b.r.mu.Lock()
	defer c.b.r.mu.Unlock()
	c.output(text, parts, len(text))
}

func unknownTools(
	handle func(ctx context.Context, name, input string) (string, error),
) func(ctx context.Context, name, input string) (string, error) {
	return func(ctx context.Context, name, input string) (string, error) {
		inner, c := enter(ctx, &compose.ToolInput{Name: name, Arguments: input, CallID: compose.GetToolCallID(ctx)})
		if c == nil {
			return handle(ctx, name, input)
		}
		c.isUnknown()
		defer c.unwinding()()
		text, err := handle(inner, name, input)
		c.leaves(err)
		if err == nil {
			c.leavesWith(text, nil)
		}
		return text, err
	}
}

func (c *call) isUnknown() {
	c.b.r.mu.Lock()
	defer c.b.r.mu.Unlock()
	c.unknown = true
}

func toolArguments(
	handle func(ctx context.Context, name, arguments string) (string, error),
) func(ctx context.Context, name, arguments string) (string, error) {
	return func(ctx context.Context, name, arguments string) (string, error) {
		rewritten, err := handle(ctx, name, arguments)
		if f := frameOf(ctx); err != nil && f.batch != nil && f.call == nil {
			f.batch.refuses(name, arguments, err)
		}
		return rewritten, err
	}
}

// refuses notes for which call a handler refused the arguments; the name may be one that the model did not use.
func (b *batch) refuses(name, arguments string, err error) {
	defer b.r.w.harmless()
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	tests := []func(*call) bool{
		func(c *call) bool { return c.name == name && c.raw == arguments },
		func(c *call) bool { return c.raw == arguments },
		func(c *call) bool { return c.name == name },
	}
	for _, test := range tests {
		if i := slices.IndexFunc(b.calls, test); i >= 0 {
			b.calls[i].refused = failureOf(err)
			return
		}
	}
}
