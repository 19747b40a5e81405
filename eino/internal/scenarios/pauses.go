package scenarios

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// Approval asks a person before it does anything.
func Approval(name string) tool.InvokableTool {
	return Tool(name, func(ctx context.Context, in City) (string, error) {
		resumed, has, said := compose.GetResumeContext[string](ctx)
		if !resumed || !has {
			return "", tool.Interrupt(ctx, "may I?")
		}
		return "did it: " + said, nil
	})
}

func waits(tool, id string) Call {
	return Call{Tool: tool, ID: id, Arguments: paris, Attempts: []string{"first interrupted"}, State: "pending", Silent: true,
		Pause: `"may I?"`, Outcome: "interrupted"}
}

func resumed(tool, id, answer string) Call {
	return Call{Tool: tool, ID: id, Arguments: paris, Attempts: []string{"first interrupted", "resume ok"}, State: "returned",
		Answer: answer, By: "tool", Outcome: "ok"}
}

// contexts are the pauses that a run ended with, by the id of the call.
func contexts(err error) []*compose.InterruptCtx {
	info, ok := compose.ExtractInterruptInfo(err)
	if !ok {
		return nil
	}
	return info.InterruptContexts
}

func paused(e *Env, config compose.ToolsNodeConfig, id string, calls ...schema.ToolCall) (compose.Runnable[*schema.Message, []*schema.Message], []*compose.InterruptCtx) {
	graph := e.Graph(config, compose.WithCheckPointStore(NewStore()))
	_, err := graph.Invoke(e.Ctx, Asks(calls...), compose.WithCheckPointID(id))
	return graph, contexts(err)
}

var pauses = []Scenario{
	{
		Name: "E24 one of two calls pauses",
		Run: func(e *Env) string {
			_, pauses := paused(e, Tools(Weather(), Approval("wipe")), "p", Ask("c1", "weather", paris), Ask("c2", "wipe", paris))
			return fmt.Sprint(len(pauses))
		},
		Want: []Call{
			{Tool: "weather", ID: "c1", Arguments: paris, Attempts: []string{"first ok"}, State: "pending", Silent: true, Outcome: "interrupted"},
			waits("wipe", "c2"),
		},
	},
	{
		Name: "E24 one of two calls pauses and goes on",
		Run: func(e *Env) string {
			graph, pauses := paused(e, Tools(Weather(), Approval("wipe")), "p", Ask("c1", "weather", paris), Ask("c2", "wipe", paris))
			messages, err := graph.Invoke(compose.ResumeWithData(e.Ctx, pauses[0].ID, "yes"), nil, compose.WithCheckPointID("p"))
			return ending(messages, err)
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris"), resumed("wipe", "c2", "did it: yes")},
	},
	{
		Name: "E25 a sibling's failure makes a pause impossible",
		Run: func(e *Env) string {
			_, pauses := paused(e, Tools(Approval("wipe"), Failing("pay", "no money")), "p", Ask("c1", "wipe", paris), Ask("c2", "pay", paris))
			return fmt.Sprint(len(pauses))
		},
		Want: []Call{
			{Tool: "wipe", ID: "c1", Arguments: paris, Attempts: []string{"first interrupted"}, State: "discarded", Silent: true, Outcome: "interrupted"},
			raised("pay", "c2", "no money"),
		},
	},
	{
		Name: "E26 two calls pause and one goes on",
		Run: func(e *Env) string {
			graph, pauses := paused(e, Tools(Approval("wipe"), Approval("burn")), "p", Ask("c1", "wipe", paris), Ask("c2", "burn", paris))
			_, err := graph.Invoke(compose.ResumeWithData(e.Ctx, pauses[0].ID, "yes"), nil, compose.WithCheckPointID("p"))
			return fmt.Sprint(len(pauses), len(contexts(err)))
		},
		Want: []Call{
			{Tool: "wipe", ID: "c1", Arguments: paris, Attempts: []string{"first interrupted", "resume ok"}, State: "pending", Silent: true, Outcome: "interrupted"},
			{Tool: "burn", ID: "c2", Arguments: paris, Attempts: []string{"first interrupted", "resume interrupted"}, State: "pending", Silent: true,
				Pause: `"may I?"`, Outcome: "interrupted"},
		},
	},
	{
		Name: "E27 without ids a resumed call gets its sibling's result and never runs",
		Run: func(e *Env) string {
			graph, pauses := paused(e, Tools(Weather(), Approval("wipe")), "p", Ask("", "weather", paris), Ask("", "wipe", paris))
			messages, err := graph.Invoke(compose.ResumeWithData(e.Ctx, pauses[0].ID, "yes"), nil, compose.WithCheckPointID("p"))
			return ending(messages, err)
		},
		Want: []Call{
			{Tool: "weather", ID: "", Arguments: paris, Attempts: []string{"first ok"}, State: "returned", Answer: "sunny in Paris",
				By: "toolnode", Outcome: "ok"},
			{Tool: "wipe", ID: "", Arguments: paris, Attempts: []string{"first interrupted"}, State: "returned", Answer: "sunny in Paris",
				By: "toolnode", Outcome: "answered"},
		},
	},
	{
		Name: "E29 a pause before the tools, then on",
		Run: func(e *Env) string {
			graph := chat(e, Tools(Weather()), compose.WithCheckPointStore(NewStore()), compose.WithInterruptBeforeNodes([]string{"tools"}))
			_, err := graph.Invoke(e.Ctx, []*schema.Message{schema.UserMessage("?")}, compose.WithCheckPointID("p"))
			first := len(contexts(err))
			messages, err := graph.Invoke(e.Ctx, nil, compose.WithCheckPointID("p"))
			return fmt.Sprint(first, ending(messages, err))
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris")},
	},
	{
		Name: "E30 a graph inside a tool pauses, and the tool gives its error away raw",
		Run: func(e *Env) string {
			inner := e.Graph(Tools(Approval("wipe")))
			outer := Tool("outer", func(ctx context.Context, _ City) (string, error) {
				_, err := inner.Invoke(ctx, Asks(Ask("c2", "wipe", paris)))
				return "", err
			})
			return e.Invoke(Tools(outer), Ask("c1", "outer", paris))
		},
		Want: []Call{raised("outer", "c1", "interrupt"), inside("outer", waits("wipe", "c2"))},
	},
}

func inside(tool string, c Call) Call {
	c.Inside = tool
	return c
}

// chat is a model that asks for the weather, and the node that looks it up.
func chat(e *Env, config compose.ToolsNodeConfig, options ...compose.GraphCompileOption) compose.Runnable[[]*schema.Message, []*schema.Message] {
	e.Wrap(&config)
	graph := compose.NewGraph[[]*schema.Message, []*schema.Message]()
	check(graph.AddChatModelNode("chat", &Model{Script: []*schema.Message{Asks(Ask("c1", "weather", paris))}}))
	check(graph.AddToolsNode("tools", must(compose.NewToolNode(e.Ctx, &config))))
	check(graph.AddEdge(compose.START, "chat"))
	check(graph.AddEdge("chat", "tools"))
	check(graph.AddEdge("tools", compose.END))
	return must(graph.Compile(e.Ctx, options...))
}
