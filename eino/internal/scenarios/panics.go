package scenarios

import (
	"context"

	"github.com/cloudwego/eino/compose"
)

func panicked(tool, id string) Call {
	return Call{Tool: tool, ID: id, Arguments: paris, Attempts: []string{"first tool_error"}, State: "discarded", Silent: true,
		Error: "out of cheese", Outcome: "tool_error"}
}

var panics = []Scenario{
	{
		Name: "E19 a panic in the only call",
		Run:  func(e *Env) string { return e.Invoke(Tools(Panicking("boom")), Ask("c1", "boom", paris)) },
		Want: []Call{panicked("boom", "c1")},
	},
	{
		Name: "E20 a panic in the second of two calls",
		Run: func(e *Env) string {
			return e.Invoke(Tools(Weather(), Panicking("boom")), Ask("c1", "weather", paris), Ask("c2", "boom", paris))
		},
		Want: []Call{lost("weather", "c1"), panicked("boom", "c2")},
	},
	{
		Name: "E21 a panic in the first of two calls leaves the second running",
		Run: func(e *Env) string {
			started, gone := make(chan struct{}), make(chan struct{})
			slow := Tool("slow", func(context.Context, City) (string, error) {
				close(started)
				<-gone
				return "too late", nil
			})
			boom := Tool("boom", func(context.Context, City) (string, error) {
				<-started
				panic("out of cheese")
			})
			end := e.Invoke(Tools(boom, slow), Ask("c1", "boom", paris), Ask("c2", "slow", paris))
			close(gone)
			return end
		},
		Want: []Call{
			panicked("boom", "c1"),
			{Tool: "slow", ID: "c2", Arguments: paris, Attempts: []string{"first ok late"}, State: "discarded", Silent: true, Outcome: "discarded"},
		},
	},
	{
		Name: "E22 a panic in the first of two calls, one after the other",
		Run: func(e *Env) string {
			config := Tools(Panicking("boom"), Weather())
			config.ExecuteSequentially = true
			return e.Invoke(config, Ask("c1", "boom", paris), Ask("c2", "weather", paris))
		},
		Want: []Call{panicked("boom", "c1"), notRun("weather", "c2")},
	},
	{
		Name: "a middleware turns a panic into an answer",
		Run: func(e *Env) string {
			config := Tools(Panicking("boom"))
			config.ToolCallMiddlewares = []compose.ToolMiddleware{recovering()}
			return e.Invoke(config, Ask("c1", "boom", paris))
		},
		Want: []Call{{Tool: "boom", ID: "c1", Arguments: paris, Attempts: []string{"first tool_error"}, State: "returned",
			Error: "recovered outside of the tool", Answer: "saved", By: "wrapper", Outcome: "tool_error"}},
	},
}

func recovering() compose.ToolMiddleware {
	return middleware(func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
		return func(ctx context.Context, in *compose.ToolInput) (out *compose.ToolOutput, err error) {
			defer func() {
				if recover() != nil {
					out = &compose.ToolOutput{Result: "saved"}
				}
			}()
			return next(ctx, in)
		}
	})
}
