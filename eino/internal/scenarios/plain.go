package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
)

const paris = `{"city":"Paris"}`

var plain = []Scenario{
	{
		Name: "E01 one call that works",
		Run:  func(e *Env) string { return e.Invoke(Tools(Weather()), Ask("c1", "weather", paris)) },
		Want: []Call{ok("weather", "c1", "sunny in Paris")},
	},
	{
		Name: "E02 three calls at the same time",
		Run: func(e *Env) string {
			var all sync.WaitGroup
			all.Add(3)
			meeting := Tool("meeting", func(_ context.Context, in City) (string, error) {
				all.Done()
				all.Wait()
				return in.City, nil
			})
			return e.Invoke(Tools(meeting), Ask("c1", "meeting", `{"city":"a"}`), Ask("c2", "meeting", `{"city":"b"}`), Ask("c3", "meeting", `{"city":"c"}`))
		},
		Want: []Call{
			ok("meeting", "c1", "a").with(`{"city":"a"}`), ok("meeting", "c2", "b").with(`{"city":"b"}`),
			ok("meeting", "c3", "c").with(`{"city":"c"}`),
		},
	},
	{
		Name: "E03 one after the other, the first fails and the second still runs",
		Run: func(e *Env) string {
			config := Tools(Failing("pay", "no money"), Weather())
			config.ExecuteSequentially = true
			return e.Invoke(config, Ask("c1", "pay", paris), Ask("c2", "weather", paris))
		},
		Want: []Call{raised("pay", "c1", "no money"), lost("weather", "c2")},
	},
	{
		Name: "E04 a failure throws away what its sibling returned",
		Run: func(e *Env) string {
			return e.Invoke(Tools(Weather(), Failing("pay", "no money"), Failing("ship", "no ship")),
				Ask("c1", "weather", paris), Ask("c2", "pay", paris), Ask("c3", "ship", paris))
		},
		Want: []Call{lost("weather", "c1"), raised("pay", "c2", "no money"), raised("ship", "c3", "no ship")},
	},
	{
		Name: "E05 an unknown tool stops the whole batch",
		Run: func(e *Env) string {
			return e.Invoke(Tools(Weather()), Ask("c1", "weather", paris), Ask("c2", "wheather", paris))
		},
		Want: []Call{
			notRun("weather", "c1"),
			{Tool: "wheather", ID: "c2", Arguments: paris, Unknown: true, State: "discarded", Silent: true,
				Error: "tool wheather not found", Outcome: "unknown_tool"},
		},
	},
	{
		Name: "E06 an unknown tool that a handler answers",
		Run: func(e *Env) string {
			config := Tools(Weather())
			config.UnknownToolsHandler = func(_ context.Context, name, _ string) (string, error) { return "no " + name, nil }
			return e.Invoke(config, Ask("c1", "weather", paris), Ask("c2", "wheather", paris))
		},
		Want: []Call{
			ok("weather", "c1", "sunny in Paris"),
			{Tool: "wheather", ID: "c2", Arguments: paris, State: "returned", Answer: "no wheather", Outcome: "answered"},
		},
		Wrapped: []Call{
			ok("weather", "c1", "sunny in Paris"),
			{Tool: "wheather", ID: "c2", Arguments: paris, State: "returned", Answer: "no wheather", By: "wrapper", Unknown: true, Outcome: "unknown_tool"},
		},
	},
	{
		Name: "E07 the handler of unknown tools fails",
		Run: func(e *Env) string {
			config := Tools(Weather())
			config.UnknownToolsHandler = func(context.Context, string, string) (string, error) { return "", errors.New("never heard") }
			return e.Invoke(config, Ask("c1", "weather", paris), Ask("c2", "wheather", paris))
		},
		Want: []Call{
			lost("weather", "c1"),
			{Tool: "wheather", ID: "c2", Arguments: paris, State: "discarded", Silent: true, Error: "never heard", Outcome: "inject_error"},
		},
		Wrapped: []Call{
			lost("weather", "c1"),
			{Tool: "wheather", ID: "c2", Arguments: paris, State: "discarded", Silent: true, Error: "never heard", Unknown: true, Outcome: "unknown_tool"},
		},
	},
	{
		Name: "E08 a handler repairs the arguments",
		Run: func(e *Env) string {
			config := Tools(Weather())
			config.ToolArgumentsHandler = func(_ context.Context, _, arguments string) (string, error) { return arguments + "}", nil }
			return e.Invoke(config, Ask("c1", "weather", `{"city":"Paris"`))
		},
		Want: []Call{{Tool: "weather", ID: "c1", Arguments: `{"city":"Paris"`, Ran: paris, Attempts: []string{"first ok"},
			State: "returned", Answer: "sunny in Paris", By: "tool", Outcome: "ok"}},
	},
	{
		Name: "E09 a handler refuses the arguments of one, and nothing runs",
		Run: func(e *Env) string {
			config := Tools(Weather())
			config.ToolArgumentsHandler = func(_ context.Context, _, arguments string) (string, error) {
				if strings.Contains(arguments, "Oz") {
					return "", errors.New("no such city")
				}
				return arguments, nil
			}
			return e.Invoke(config, Ask("c1", "weather", paris), Ask("c2", "weather", `{"city":"Oz"}`))
		},
		Want: []Call{
			notRun("weather", "c1"),
			{Tool: "weather", ID: "c2", Arguments: `{"city":"Oz"}`, Attempts: []string{"first invalid_args"}, State: "discarded",
				Silent: true, Error: "no such city", Outcome: "invalid_args"},
		},
	},
	{
		Name: "E10 a middleware rewrites the arguments in place",
		Run: func(e *Env) string {
			config := Tools(Weather())
			config.ToolCallMiddlewares = []compose.ToolMiddleware{before(func(in *compose.ToolInput) { in.Arguments = `{"city":"Rome"}` })}
			return e.Invoke(config, Ask("c1", "weather", paris))
		},
		Want: []Call{{Tool: "weather", ID: "c1", Arguments: paris, Ran: `{"city":"Rome"}`, Attempts: []string{"first ok"},
			State: "returned", Answer: "sunny in Rome", By: "tool", Outcome: "ok"}},
	},
	{
		Name: "E11 arguments that are no JSON",
		Run:  func(e *Env) string { return e.Invoke(Tools(Weather()), Ask("c1", "weather", `{"city":`)) },
		Want: []Call{invalid("weather", "c1", `{"city":`)},
	},
	{
		Name: "E11 arguments of the wrong type",
		Run:  func(e *Env) string { return e.Invoke(Tools(Weather()), Ask("c1", "weather", `{"city":7}`)) },
		Want: []Call{invalid("weather", "c1", `{"city":7}`)},
	},
	{
		Name: "E11 no arguments at all",
		Run:  func(e *Env) string { return e.Invoke(Tools(Weather()), Ask("c1", "weather", "")) },
		Want: []Call{invalid("weather", "c1", "")},
	},
	{
		Name: "E12 a missing argument is a zero value",
		Run:  func(e *Env) string { return e.Invoke(Tools(Weather()), Ask("c1", "weather", `{"town":"Paris"}`)) },
		Want: []Call{ok("weather", "c1", "sunny in ").with(`{"town":"Paris"}`)},
	},
	{
		Name: "E13 an error that nobody handles",
		Run:  func(e *Env) string { return e.Invoke(Tools(Failing("pay", "no money")), Ask("c1", "pay", paris)) },
		Want: []Call{raised("pay", "c1", "no money")},
	},
	{
		Name: "E14 a middleware turns an error into an answer",
		Run: func(e *Env) string {
			config := Tools(Failing("pay", "no money"))
			config.ToolCallMiddlewares = []compose.ToolMiddleware{errorRemover()}
			return e.Invoke(config, Ask("c1", "pay", paris))
		},
		Want: []Call{{Tool: "pay", ID: "c1", Arguments: paris, Attempts: []string{"first tool_error"}, State: "returned",
			Error: "no money", Answer: "something went wrong", By: "wrapper", Outcome: "tool_error"}},
	},
	{
		Name: "E15 an error hidden inside the tool",
		Run: func(e *Env) string {
			hidden := utils.WrapToolWithErrorHandler(Failing("pay", "no money"), func(_ context.Context, err error) string { return "oops" })
			return e.Invoke(Tools(hidden), Ask("c1", "pay", paris))
		},
		Want: []Call{ok("pay", "c1", "oops")},
	},
	{
		Name: "E16 a middleware tries three times",
		Run: func(e *Env) string {
			tries := 0
			flaky := Tool("flaky", func(context.Context, City) (string, error) {
				if tries++; tries < 3 {
					return "", fmt.Errorf("try %d", tries)
				}
				return "at last", nil
			})
			config := Tools(flaky)
			config.ToolCallMiddlewares = []compose.ToolMiddleware{retry(3)}
			return e.Invoke(config, Ask("c1", "flaky", paris))
		},
		Want: []Call{{Tool: "flaky", ID: "c1", Arguments: paris, State: "returned", Answer: "at last", By: "tool", Outcome: "ok",
			Attempts: []string{"first tool_error", "wrapper_retry tool_error", "wrapper_retry ok"}}},
	},
	{
		Name: "E17 a middleware answers by itself",
		Run: func(e *Env) string {
			config := Tools(Weather())
			config.ToolCallMiddlewares = []compose.ToolMiddleware{cached("from the cache")}
			return e.Invoke(config, Ask("c1", "weather", paris))
		},
		Want:    []Call{{Tool: "weather", ID: "c1", Arguments: paris, State: "returned", Answer: "from the cache", Outcome: "answered"}},
		Wrapped: []Call{{Tool: "weather", ID: "c1", Arguments: paris, State: "returned", Answer: "from the cache", By: "wrapper", Outcome: "answered"}},
	},
	{
		Name: "E18 a middleware shortens the result",
		Run: func(e *Env) string {
			config := Tools(Weather())
			config.ToolCallMiddlewares = []compose.ToolMiddleware{after(func(text string) string { return text[:5] })}
			return e.Invoke(config, Ask("c1", "weather", paris))
		},
		Want: []Call{ok("weather", "c1", "sunny")},
	},
	{
		Name: "E23 the time of the context runs out during two calls",
		Run: func(e *Env) string {
			ctx := &expiring{Context: e.Ctx, done: make(chan struct{})}
			ctx.running.Add(2)
			go ctx.expire()
			obedient := Tool("obedient", func(inner context.Context, _ City) (string, error) {
				ctx.running.Done()
				<-inner.Done()
				return "", inner.Err()
			})
			deaf := Tool("deaf", func(inner context.Context, _ City) (string, error) {
				ctx.running.Done()
				<-inner.Done()
				return "done", nil
			})
			messages, err := e.Graph(Tools(obedient, deaf)).Invoke(ctx, Asks(Ask("c1", "obedient", paris), Ask("c2", "deaf", paris)))
			return ending(messages, err)
		},
		Want: []Call{
			{Tool: "obedient", ID: "c1", Arguments: paris, Attempts: []string{"first cancelled"}, State: "discarded", Silent: true,
				Error: "deadline exceeded", Outcome: "cancelled"},
			lost("deaf", "c2"),
		},
	},
	{
		Name: "E28 the same id twice in one message",
		Run: func(e *Env) string {
			return e.Invoke(Tools(Weather()), Ask("c1", "weather", paris), Ask("c1", "weather", `{"city":"Rome"}`))
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris"), ok("weather", "c1", "sunny in Rome").with(`{"city":"Rome"}`)},
	},
	{
		Name: "E28 no ids at all",
		Run: func(e *Env) string {
			return e.Invoke(Tools(Weather()), Ask("", "weather", paris), Ask("", "weather", paris))
		},
		Want: []Call{ok("weather", "", "sunny in Paris"), ok("weather", "", "sunny in Paris")},
	},
	{
		Name: "E40 a tools node outside of any graph",
		Run: func(e *Env) string {
			config := Tools(Weather())
			e.Wrap(&config)
			messages, err := must(compose.NewToolNode(e.Ctx, &config)).Invoke(e.Ctx, Asks(Ask("c1", "weather", paris)))
			return ending(messages, err)
		},
		Want: []Call{{Tool: "weather", ID: "c1", Arguments: "", Ran: paris, Attempts: []string{"first ok"}, Silent: true, Outcome: "ok"}},
	},
}
