package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
)

func says(text string) *schema.Message { return schema.AssistantMessage(text, nil) }

func (e *Env) reacts(script *Model, steps int, tools ...tool.BaseTool) *react.Agent {
	config := &react.AgentConfig{ToolCallingModel: e.Model(script), ToolsConfig: Tools(tools...), MaxStep: steps}
	e.Wrap(&config.ToolsConfig)
	return must(react.NewAgent(e.Ctx, config))
}

func generate(e *Env, a *react.Agent, options ...agent.AgentOption) string {
	message, err := a.Generate(e.Ctx, []*schema.Message{schema.UserMessage("?")}, options...)
	if err != nil {
		return ending(nil, err)
	}
	return message.Content
}

func streamed(e *Env, a *react.Agent) string {
	stream, err := a.Stream(e.Ctx, []*schema.Message{schema.UserMessage("?")})
	if err != nil {
		return ending(nil, err)
	}
	defer stream.Close()
	text := ""
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text
		}
		if err != nil {
			return ending(nil, err)
		}
		text += chunk.Content
	}
}

func (e *Env) agent(name string, script model.ToolCallingChatModel, tools ...tool.BaseTool) adk.Agent {
	config := &adk.ChatModelAgentConfig{Name: name, Description: "an agent", Model: e.Model(script), MaxIterations: 3}
	config.ToolsConfig.ToolsNodeConfig = Tools(tools...)
	e.Wrap(&config.ToolsConfig.ToolsNodeConfig)
	return must(adk.NewChatModelAgent(e.Ctx, config))
}

// events is what the user of an agent sees.
func events(iterator *adk.AsyncIterator[*adk.AgentEvent]) (text string, pauses []*adk.InterruptCtx) {
	for {
		event, more := iterator.Next()
		if !more {
			return text, pauses
		}
		switch {
		case event.Err != nil:
			text += ending(nil, event.Err)
		case event.Action != nil && event.Action.Interrupted != nil:
			pauses = event.Action.Interrupted.InterruptContexts
			text += fmt.Sprintf("[%d pauses]", len(pauses))
		case event.Output != nil && event.Output.MessageOutput != nil:
			message := must(event.Output.MessageOutput.GetMessage())
			text += fmt.Sprintf("[%s %s]", message.Role, message.Content)
		}
	}
}

func (e *Env) runs(a adk.Agent) string {
	text, _ := events(adk.NewRunner(e.Ctx, adk.RunnerConfig{Agent: a}).Query(e.Ctx, "?"))
	return text
}

var agents = []Scenario{
	{
		Name: "E42 a react agent in two turns",
		Run: func(e *Env) string {
			script := &Model{Script: []*schema.Message{Asks(Ask("c1", "weather", paris)), Asks(Ask("c2", "weather", paris)), says("sunny")}}
			return generate(e, e.reacts(script, 12, Weather()))
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris"), ok("weather", "c2", "sunny in Paris")},
	},
	{
		Name: "E42 a react agent in two turns, as a stream",
		Run: func(e *Env) string {
			script := &Model{Script: []*schema.Message{Asks(Ask("c1", "weather", paris)), Asks(Ask("c2", "tell", paris)), says("sunny")}}
			return streamed(e, e.reacts(script, 12, Weather(), Streaming("tell", nil, "a", "b")))
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris"), ok("tell", "c2", "ab")},
	},
	{
		Name: "E42 the same question without ids, again and again",
		Run: func(e *Env) string {
			script := &Model{Script: []*schema.Message{Asks(Ask("", "weather", paris)), Asks(Ask("", "weather", paris)), says("sunny")}}
			return generate(e, e.reacts(script, 12, Weather()))
		},
		Want: []Call{ok("weather", "", "sunny in Paris"), ok("weather", "", "sunny in Paris")},
	},
	{
		Name: "E43 calls that follow a text in a stream are dropped",
		Run: func(e *Env) string {
			call := Ask("c1", "weather", paris)
			call.Index = new(int)
			script := &Model{Script: []*schema.Message{says("")}, Chunks: [][]*schema.Message{{says("let me look"), Asks(call)}}}
			return streamed(e, e.reacts(script, 12, Weather()))
		},
		Want:    []Call{},
		Wrapped: []Call{{Tool: "weather", ID: "c1", Arguments: paris, Silent: true, Outcome: "unanswered"}},
	},
	{
		Name: "E44 the steps run out right after the model",
		Run: func(e *Env) string {
			script := &Model{Script: []*schema.Message{Asks(Ask("c1", "weather", paris))}}
			return generate(e, e.reacts(script, 1, Weather()))
		},
		Want: []Call{{Tool: "weather", ID: "c1", Arguments: paris, Silent: true, Outcome: "unanswered"}},
	},
	{
		Name: "E45 one of two answers is returned at once",
		Run: func(e *Env) string {
			script := &Model{Script: []*schema.Message{Asks(Ask("c1", "weather", paris), Ask("c2", "final", paris))}}
			config := &react.AgentConfig{ToolCallingModel: script, ToolReturnDirectly: map[string]struct{}{"final": {}}, MaxStep: 12}
			config.ToolsConfig = Tools(Weather(), Tool("final", func(context.Context, City) (string, error) { return "the end", nil }))
			e.Wrap(&config.ToolsConfig)
			return generate(e, must(react.NewAgent(e.Ctx, config)))
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris"), ok("final", "c2", "the end")},
	},
	{
		Name: "E46 an agent of the adk",
		Run: func(e *Env) string {
			script := &Model{Script: []*schema.Message{Asks(Ask("c1", "weather", paris)), says("sunny")}}
			return e.runs(e.agent("forecaster", script, Weather()))
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris")},
	},
	{
		Name: "E47 an agent as a tool",
		Run: func(e *Env) string {
			inner := e.agent("inner", &Model{Script: []*schema.Message{Asks(Ask("c2", "weather", paris)), says("it is sunny")}}, Weather())
			outer := &Model{Script: []*schema.Message{Asks(Ask("c1", "inner", `{"request":"weather?"}`)), says("sunny")}}
			return e.runs(e.agent("outer", outer, adk.NewAgentTool(e.Ctx, inner)))
		},
		Want: []Call{
			ok("inner", "c1", "it is sunny").with(`{"request":"weather?"}`),
			inside("inner", ok("weather", "c2", "sunny in Paris")),
		},
	},
	{
		Name: "E49 an agent's user has seen an answer that the model never gets",
		Run: func(e *Env) string {
			seen := make(chan struct{})
			script := &Model{Script: []*schema.Message{Asks(Ask("c1", "weather", paris), Ask("c2", "pay", paris))}}
			weather := Tool("weather", func(context.Context, City) (string, error) { defer close(seen); return "sunny", nil })
			pay := Tool("pay", func(context.Context, City) (string, error) { <-seen; return "", errors.New("no money") })
			_ = e.runs(e.agent("payer", script, weather, pay))
			return "the order of events is not fixed"
		},
		Want: []Call{lost("weather", "c1"), raised("pay", "c2", "no money")},
	},
	{
		Name: "E50 an agent of the adk pauses and goes on",
		Run: func(e *Env) string {
			script := &Model{Script: []*schema.Message{Asks(Ask("c1", "weather", paris), Ask("c2", "wipe", paris)), says("done")}}
			runner := adk.NewRunner(e.Ctx, adk.RunnerConfig{Agent: e.agent("wiper", script, Weather(), Approval("wipe")), CheckPointStore: NewStore()})
			_, pauses := events(runner.Query(e.Ctx, "?", adk.WithCheckPointID("p")))
			var asked string
			for _, pause := range pauses {
				if pause.IsRootCause {
					asked = pause.ID
				}
			}
			again := must(runner.ResumeWithParams(e.Ctx, "p", &adk.ResumeParams{Targets: map[string]any{asked: "yes"}}))
			text, _ := events(again)
			return text
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris"), resumed("wipe", "c2", "did it: yes")},
	},
	{
		Name: "E52 an agent of the adk may not go on",
		Run: func(e *Env) string {
			asks := Asks(Ask("c1", "weather", paris))
			more := Asks(Ask("c2", "weather", paris))
			last := Asks(Ask("c3", "weather", paris))
			return e.runs(e.agent("restless", &Model{Script: []*schema.Message{asks, more, last, says("never")}}, Weather()))
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris"), ok("weather", "c2", "sunny in Paris"), ok("weather", "c3", "sunny in Paris")},
	},
	{
		Name: "E55 a list of tools for this run only",
		Run: func(e *Env) string {
			graph := e.Graph(Tools(Failing("weather", "wrong list")))
			messages, err := graph.Invoke(e.Ctx, Asks(Ask("c1", "weather", paris)), compose.WithToolsNodeOption(compose.WithToolList(Weather())))
			return ending(messages, err)
		},
		Want: []Call{ok("weather", "c1", "sunny in Paris")},
	},
}
