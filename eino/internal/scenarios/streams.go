package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"
)

var streams = []Scenario{
	{
		Name: "E31 a streaming tool whose chunks the node puts together",
		Run: func(e *Env) string {
			return e.Invoke(Tools(Streaming("tell", nil, "a", "b", "c")), Ask("c1", "tell", paris))
		},
		Want: []Call{ok("tell", "c1", "abc")},
	},
	{
		Name: "E32 a streaming tool beside a plain one, as streams",
		Run: func(e *Env) string {
			return e.Stream(Tools(Streaming("tell", nil, "a", "b", "c"), Weather()), Ask("c1", "tell", paris), Ask("c2", "weather", paris))
		},
		Want:    []Call{unread("tell", "c1"), ok("weather", "c2", "sunny in Paris")},
		Wrapped: []Call{ok("tell", "c1", "abc"), ok("weather", "c2", "sunny in Paris")},
	},
	{
		Name: "E33 an error in the middle of a stream, put together by the node",
		Run: func(e *Env) string {
			return e.Invoke(Tools(Streaming("tell", nil, "a", "!")), Ask("c1", "tell", paris))
		},
		Want: []Call{raised("tell", "c1", "the line broke")},
	},
	{
		Name: "E33 an error in the middle of a stream",
		Run: func(e *Env) string {
			return e.Stream(Tools(Streaming("tell", nil, "a", "!")), Ask("c1", "tell", paris))
		},
		Want:    []Call{unread("tell", "c1")},
		Wrapped: []Call{raised("tell", "c1", "the line broke")},
	},
	{
		Name: "E34 whoever reads a stream stops early",
		Run: func(e *Env) string {
			produced := make(chan int, 1)
			endless := must(utils.InferStreamTool("tell", "a tool", func(context.Context, City) (*schema.StreamReader[string], error) {
				reader, writer := schema.Pipe[string](0)
				go func() {
					defer writer.Close()
					n := 0
					for !writer.Send("chunk", nil) {
						n++
					}
					produced <- n
				}()
				return reader, nil
			}))
			stream := must(e.Graph(Tools(endless)).Stream(e.Ctx, Asks(Ask("c1", "tell", paris))))
			must(stream.Recv())
			stream.Close()
			select {
			case n := <-produced:
				return fmt.Sprintf("stopped soon: %v", n < 20)
			case <-time.After(5 * time.Second):
				return "never stopped"
			}
		},
		Want: []Call{unread("tell", "c1")},
		Wrapped: []Call{{Tool: "tell", ID: "c1", Arguments: paris, Attempts: []string{"first cancelled"}, State: "discarded", Silent: true,
			Error: "closed it before its end", Outcome: "cancelled"}},
	},
	{
		Name: "E35 a stream without any chunk",
		Run:  func(e *Env) string { return e.Invoke(Tools(Streaming("tell", nil)), Ask("c1", "tell", paris)) },
		Want: []Call{{Tool: "tell", ID: "c1", Arguments: paris, Attempts: []string{"first ok"}, State: "discarded", Silent: true,
			Error: "stream reader is empty", Outcome: "invalid_result"}},
	},
	{
		Name: "E36 an answer of text and two images",
		Run: func(e *Env) string {
			return e.Invoke(Tools(photo(text("two"), image("AAAA"), image("AAA="))), Ask("c1", "photo", paris))
		},
		Want: []Call{{Tool: "photo", ID: "c1", Arguments: paris, Attempts: []string{"first ok"}, State: "returned", Answer: "two",
			By: "tool", Parts: "image image/png 3;image image/png 2;", Outcome: "ok"}},
	},
	{
		Name: "E37 an image that is none",
		Run: func(e *Env) string {
			return e.Invoke(Tools(photo(schema.ToolOutputPart{Type: schema.ToolPartTypeImage}), Weather()), Ask("c1", "photo", paris), Ask("c2", "weather", paris))
		},
		Want: []Call{
			{Tool: "photo", ID: "c1", Arguments: paris, Attempts: []string{"first ok"}, State: "discarded", Silent: true,
				Error: "image content is nil", Outcome: "invalid_result"},
			lost("weather", "c2"),
		},
	},
	{
		Name: "E38 a stream of images that cannot be put together",
		Run: func(e *Env) string {
			stream := must(utils.InferEnhancedStreamTool("photos", "a tool", func(context.Context, City) (*schema.StreamReader[*schema.ToolResult], error) {
				return schema.StreamReaderFromArray([]*schema.ToolResult{{Parts: []schema.ToolOutputPart{image("AAAA")}}, {Parts: []schema.ToolOutputPart{image("AAAA")}}}), nil
			}))
			return e.Invoke(Tools(stream), Ask("c1", "photos", paris))
		},
		Want: []Call{{Tool: "photos", ID: "c1", Arguments: paris, Attempts: []string{"first ok"}, State: "discarded", Silent: true,
			Error: "conflicting", Outcome: "invalid_result"}},
	},
}

// unread is a call whose stream only the program has read.
func unread(tool, id string) Call {
	return Call{Tool: tool, ID: id, Arguments: paris, Attempts: []string{"first"}, State: "returned", By: "tool", Outcome: "ok"}
}

func photo(parts ...schema.ToolOutputPart) interface {
	Info(context.Context) (*schema.ToolInfo, error)
} {
	return must(utils.InferEnhancedTool("photo", "a tool", func(context.Context, City) (*schema.ToolResult, error) {
		return &schema.ToolResult{Parts: parts}, nil
	}))
}

func text(text string) schema.ToolOutputPart {
	return schema.ToolOutputPart{Type: schema.ToolPartTypeText, Text: text}
}

func image(data string) schema.ToolOutputPart {
	return schema.ToolOutputPart{Type: schema.ToolPartTypeImage, Image: &schema.ToolOutputImage{
		MessagePartCommon: schema.MessagePartCommon{Base64Data: &data, MIMEType: "image/png"},
	}}
}
