// Command play runs every scenario against the server that OTEL_EXPORTER_OTLP_ENDPOINT names, and prints what
// is true of the calls as JSON: one object for each scenario, with the thread that it ran in. With the word
// "hang" it only runs a tool that never ends, and says so when the tool runs.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"

	toolwatch "github.com/toolwatch/toolwatch/eino"
	"github.com/toolwatch/toolwatch/eino/internal/scenarios"
)

var plain = scenarios.Env{
	Wrap:  func(*compose.ToolsNodeConfig) {},
	Model: func(m model.ToolCallingChatModel) model.ToolCallingChatModel { return m },
}

type truth struct {
	Thread string           `json:"thread"`
	Ended  string           `json:"ended"`
	Calls  []scenarios.Call `json:"calls"`
}

func main() {
	ctx := context.Background()
	watch, err := toolwatch.Instrument(ctx, toolwatch.WithServiceName("eino-scenarios"))
	if err != nil {
		log.Fatal(err)
	}
	if len(os.Args) > 1 && os.Args[1] == "hang" {
		hang(ctx)
	}
	all := []truth{}
	for _, s := range scenarios.All() {
		wrapped := s.Wrapped
		if wrapped == nil {
			wrapped = s.Want
		}
		all = append(all,
			play(ctx, s, "plain", plain, s.Want),
			play(ctx, s, "wrapped", scenarios.Env{Wrap: toolwatch.WrapTools, Model: toolwatch.WrapModel}, wrapped))
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if err := cmp.Or(watch.Flush(ctx), watch.Shutdown(ctx)); err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		log.Fatal(err)
	}
}

func play(ctx context.Context, s scenarios.Scenario, how string, env scenarios.Env, calls []scenarios.Call) truth {
	thread := s.Name + " / " + how
	env.Ctx = toolwatch.WithThread(ctx, thread)
	return truth{Thread: thread, Ended: s.Run(&env), Calls: calls}
}

func hang(ctx context.Context) {
	endless := scenarios.Tool("endless", func(context.Context, scenarios.City) (string, error) {
		fmt.Println("running")
		select {}
	})
	env := plain
	env.Ctx = toolwatch.WithThread(ctx, "killed")
	env.Invoke(scenarios.Tools(endless), scenarios.Ask("c1", "endless", `{"city":"Paris"}`))
}
