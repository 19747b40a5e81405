package scenarios

import (
	"context"

	"github.com/cloudwego/eino/compose"
)

func middleware(around func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint) compose.ToolMiddleware {
	return compose.ToolMiddleware{Invokable: around}
}

func before(change func(*compose.ToolInput)) compose.ToolMiddleware {
	return middleware(func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
		return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
			change(in)
			return next(ctx, in)
		}
	})
}

func after(change func(string) string) compose.ToolMiddleware {
	return middleware(func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
		return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
			out, err := next(ctx, in)
			if err == nil {
				out = &compose.ToolOutput{Result: change(out.Result)}
			}
			return out, err
		}
	})
}

func errorRemover() compose.ToolMiddleware {
	return middleware(func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
		return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
			out, err := next(ctx, in)
			if err != nil {
				return &compose.ToolOutput{Result: "something went wrong"}, nil
			}
			return out, nil
		}
	})
}

func retry(times int) compose.ToolMiddleware {
	return middleware(func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
		return func(ctx context.Context, in *compose.ToolInput) (out *compose.ToolOutput, err error) {
			for range times {
				if out, err = next(ctx, in); err == nil {
					return out, nil
				}
			}
			return nil, err
		}
	})
}

func cached(text string) compose.ToolMiddleware {
	return middleware(func(compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
		return func(context.Context, *compose.ToolInput) (*compose.ToolOutput, error) {
			return &compose.ToolOutput{Result: text}, nil
		}
	})
}
