//go:build eino09

package scenarios

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// newer needs what Eino has since v0.9.0.
var newer = []Scenario{
	{
		Name: "E39 a name and an argument that are aliases",
		Run: func(e *Env) string {
			config := Tools(Weather())
			config.ToolAliases = map[string]compose.ToolAliasConfig{
				"weather": {NameAliases: []string{"forecast"}, ArgumentsAliases: map[string][]string{"city": {"town"}}},
			}
			return e.Invoke(config, Ask("c1", "forecast", `{"town":"Paris"}`))
		},
		Want: []Call{{Tool: "forecast", ID: "c1", Arguments: `{"town":"Paris"}`, Ran: paris, Attempts: []string{"first ok"}, State: "returned",
			Answer: "sunny in Paris", By: "tool", Outcome: "ok"}},
	},
	{
		Name: "E51 an agent is cancelled at once, and its tool runs on",
		Run: func(e *Env) string {
			started, gone := make(chan struct{}), make(chan struct{})
			slow := Tool("slow", func(context.Context, City) (string, error) {
				close(started)
				<-gone
				return "too late", nil
			})
			script := &Model{Script: []*schema.Message{Asks(Ask("c1", "slow", paris)), says("never")}}
			option, cancel := adk.WithCancel()
			runner := adk.NewRunner(e.Ctx, adk.RunnerConfig{Agent: e.agent("hasty", script, slow)})
			iterator := runner.Query(e.Ctx, "?", option)
			<-started
			handle, _ := cancel()
			_ = handle.Wait()
			for {
				event, more := iterator.Next()
				if !more {
					break
				}
				if event.Err != nil {
					close(gone)
					return "cancelled"
				}
			}
			close(gone)
			return fmt.Sprint("not cancelled")
		},
		Want: []Call{{Tool: "slow", ID: "c1", Arguments: paris, Attempts: []string{"first ok late"}, State: "discarded", Silent: true, Outcome: "discarded"}},
	},
}

func init() { agents = append(agents, newer...) }
