// Command demo runs a few Eino agents with a scripted model, so that their tool calls can be looked at on the
// pages of a server: toolwatch serve, then go run ./examples/demo.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"sync/atomic"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	toolwatch "github.com/toolwatch/toolwatch/eino"
)

type order struct {
	Order string `json:"order" jsonschema:"required"`
	Cents int    `json:"cents"`
}

func main() {
	ctx := context.Background()
	watch, err := toolwatch.Instrument(ctx, toolwatch.WithServiceName("eino-demo"))
	if err != nil {
		log.Fatal(err)
	}
	stories := []struct{ thread, says string }{
		{"eino-refund", "one refund works, its sibling fails, and nobody tells the model"},
		{"eino-typo", "the model asks for a tool that does not exist; a handler answers"},
		{"eino-retry", "a flaky tool runs three times for one request"},
		{"eino-approval", "a refund waits for a person, then goes on"},
	}
	for i, run := range []func(context.Context) error{refund, typo, flaky, approval} {
		err := run(toolwatch.WithThread(ctx, stories[i].thread))
		fmt.Printf("%-14s %s (%s)\n", stories[i].thread, stories[i].says, cmp.Or(errorText(err), "ended well"))
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := watch.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("look at", cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), "http://127.0.0.1:4318")+"/calls?service=eino-demo")
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("ended with: %.60s…", err)
}

func refund(ctx context.Context) error {
	config := compose.ToolsNodeConfig{Tools: []tool.BaseTool{
		function("refund", func(_ context.Context, in order) (string, error) { return "refunded " + in.Order, nil }),
		function("notify", func(context.Context, order) (string, error) {
			return "", errors.New("mail server refused the connection")
		}),
	}}
	return converse(ctx, config, asks(ask("call_refund", "refund", `{"order":"A-17","cents":1999}`), ask("call_notify", "notify", `{"order":"A-17"}`)))
}

func typo(ctx context.Context) error {
	config := compose.ToolsNodeConfig{
		Tools: []tool.BaseTool{function("refund", func(_ context.Context, in order) (string, error) { return "refunded " + in.Order, nil })},
		UnknownToolsHandler: func(_ context.Context, name, _ string) (string, error) {
			return "there is no tool " + name + "; did you mean refund?", nil
		},
	}
	return converse(ctx, config, asks(ask("call_typo", "refnud", `{"order":"A-17"}`)), asks(ask("call_right", "refund", `{"order":"A-17"}`)))
}

func flaky(ctx context.Context) error {
	var tries atomic.Int32
	ship := function("ship", func(context.Context, order) (string, error) {
		if tries.Add(1) < 3 {
			return "", errors.New("carrier timed out")
		}
		return "shipped", nil
	})
	config := compose.ToolsNodeConfig{Tools: []tool.BaseTool{ship}, ToolCallMiddlewares: []compose.ToolMiddleware{{Invokable: threeTimes}}}
	return converse(ctx, config, asks(ask("call_ship", "ship", `{"order":"A-17"}`)))
}

func approval(ctx context.Context) error {
	wipe := function("close_account", func(ctx context.Context, in order) (string, error) {
		if _, said, answer := compose.GetResumeContext[string](ctx); said {
			return "closed; the person said " + answer, nil
		}
		return "", tool.Interrupt(ctx, "Close the account of order "+in.Order+"?")
	})
	config := compose.ToolsNodeConfig{Tools: []tool.BaseTool{wipe}}
	toolwatch.WrapTools(&config)
	node, err := compose.NewToolNode(ctx, &config)
	if err != nil {
		return err
	}
	graph := compose.NewGraph[*schema.Message, []*schema.Message]()
	if err := cmp.Or(graph.AddToolsNode("tools", node), graph.AddEdge(compose.START, "tools"), graph.AddEdge("tools", compose.END)); err != nil {
		return err
	}
	runnable, err := graph.Compile(ctx, compose.WithGraphName("closing"), compose.WithCheckPointStore(&store{}))
	if err != nil {
		return err
	}
	_, err = runnable.Invoke(ctx, asks(ask("call_close", "close_account", `{"order":"A-17"}`)), compose.WithCheckPointID("demo"))
	pause, paused := compose.ExtractInterruptInfo(err)
	if !paused {
		return err
	}
	resumed := compose.ResumeWithData(ctx, pause.InterruptContexts[0].ID, "yes")
	_, err = runnable.Invoke(resumed, nil, compose.WithCheckPointID("demo"))
	return err
}

// converse runs a react agent whose model says the given messages, and then that it is done.
func converse(ctx context.Context, config compose.ToolsNodeConfig, script ...*schema.Message) error {
	toolwatch.WrapTools(&config) // the optional second line
	script = append(script, schema.AssistantMessage("done", nil))
	agent, err := react.NewAgent(ctx, &react.AgentConfig{ToolCallingModel: &scripted{script: script}, ToolsConfig: config})
	if err != nil {
		return err
	}
	_, err = agent.Generate(ctx, []*schema.Message{schema.UserMessage("please")})
	return err
}

func threeTimes(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
	return func(ctx context.Context, in *compose.ToolInput) (out *compose.ToolOutput, err error) {
		for range 3 {
			if out, err = next(ctx, in); err == nil {
				break
			}
		}
		return out, err
	}
}

func function(name string, run func(context.Context, order) (string, error)) tool.InvokableTool {
	made, err := utils.InferTool(name, "a tool of the demo", run)
	if err != nil {
		log.Fatal(err)
	}
	return made
}

func asks(calls ...schema.ToolCall) *schema.Message { return schema.AssistantMessage("", calls) }

func ask(id, name, arguments string) schema.ToolCall {
	return schema.ToolCall{ID: id, Function: schema.FunctionCall{Name: name, Arguments: arguments}}
}
