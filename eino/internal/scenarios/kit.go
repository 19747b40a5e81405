// Package scenarios holds small Eino programs, each of which makes one thing happen to tool calls, and what
// is true of these calls afterwards. They serve the tests of this module and those against a real server.
package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// Scenario is a program and the truth about the calls in it.
type Scenario struct {
	Name string
	// Run says in a text how the program ended, as far as the program itself can tell.
	Run func(e *Env) string
	// Want are the calls, in the order in which they were asked for, as the callbacks alone tell of them.
	Want []Call
	// Wrapped is the truth as a wrapped tools node tells it, where that is more.
	Wrapped []Call
}

// Call is what is true of one call. Attempts are written "cause outcome"; Error is a part of the message.
type Call struct {
	Tool      string   `json:"tool"`
	ID        string   `json:"id"`
	Arguments string   `json:"arguments"` // as the model wrote them
	Ran       string   `json:"ran"`       // as the tool received them, where that differs
	Attempts  []string `json:"attempts"`  // "first ok"
	State     string   `json:"state"`     // of the last dispatch: returned, discarded, pending, or "" where there was none
	Error     string   `json:"error"`
	Answer    string   `json:"answer"`
	By        string   `json:"by"`
	Pause     string   `json:"pause"`
	Parts     string   `json:"parts"`  // "image image/png 3;"
	Inside    string   `json:"inside"` // the tool in whose call it was made
	Unknown   bool     `json:"unknown"`
	Silent    bool     `json:"silent"`  // nothing answers it
	Outcome   string   `json:"outcome"` // in the server's words
}

// Env is what a scenario runs in.
type Env struct {
	Ctx   context.Context
	Wrap  func(*compose.ToolsNodeConfig)                              // does nothing, or wraps the config
	Model func(model.ToolCallingChatModel) model.ToolCallingChatModel // does nothing, or wraps the model
}

// Graph runs one tools node over a message, by Invoke or by Stream.
func (e *Env) Graph(config compose.ToolsNodeConfig, options ...compose.GraphCompileOption) compose.Runnable[*schema.Message, []*schema.Message] {
	e.Wrap(&config)
	node := must(compose.NewToolNode(e.Ctx, &config))
	graph := compose.NewGraph[*schema.Message, []*schema.Message]()
	check(graph.AddToolsNode("tools", node))
	check(graph.AddEdge(compose.START, "tools"))
	check(graph.AddEdge("tools", compose.END))
	return must(graph.Compile(e.Ctx, append(options, compose.WithGraphName("tools only"))...))
}

// Invoke runs one tools node over the calls.
func (e *Env) Invoke(config compose.ToolsNodeConfig, calls ...schema.ToolCall) string {
	messages, err := e.Graph(config).Invoke(e.Ctx, Asks(calls...))
	return ending(messages, err)
}

// Stream does the same and reads the stream to its end.
func (e *Env) Stream(config compose.ToolsNodeConfig, calls ...schema.ToolCall) string {
	stream, err := e.Graph(config).Stream(e.Ctx, Asks(calls...))
	if err != nil {
		return ending(nil, err)
	}
	return ending(read(stream))
}

func read(stream *schema.StreamReader[[]*schema.Message]) ([]*schema.Message, error) {
	defer stream.Close()
	var chunks [][]*schema.Message
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return schema.ConcatMessageArray(chunks)
		}
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, chunk)
	}
}

func ending(messages []*schema.Message, err error) string {
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "stack:")
		text, _, _ = strings.Cut(text, "info: &") // which holds addresses in memory
		return "error: " + text
	}
	text := ""
	for _, message := range messages {
		text += fmt.Sprintf("[%s %s %s %d]", message.ToolCallID, message.ToolName, message.Content, len(message.UserInputMultiContent))
	}
	return text
}

// Asks is a message of a model that asks for calls.
func Asks(calls ...schema.ToolCall) *schema.Message {
	return schema.AssistantMessage("", calls)
}

// Ask is one call.
func Ask(id, name, arguments string) schema.ToolCall {
	return schema.ToolCall{ID: id, Function: schema.FunctionCall{Name: name, Arguments: arguments}}
}

// City is what most tools here take.
type City struct {
	City string `json:"city"`
}

// Tool is a tool made by Eino's own means from a function.
func Tool(name string, run func(ctx context.Context, in City) (string, error)) tool.InvokableTool {
	return must(utils.InferTool(name, "a tool", run))
}

// Weather always works.
func Weather() tool.InvokableTool {
	return Tool("weather", func(_ context.Context, in City) (string, error) { return "sunny in " + in.City, nil })
}

// Failing always fails.
func Failing(name, text string) tool.InvokableTool {
	return Tool(name, func(context.Context, City) (string, error) { return "", errors.New(text) })
}

// Panicking always panics.
func Panicking(name string) tool.InvokableTool {
	return Tool(name, func(context.Context, City) (string, error) { panic("out of cheese") })
}

// Streaming gives chunks one by one, and counts how many its reader took.
func Streaming(name string, produced *int, chunks ...string) tool.StreamableTool {
	return must(utils.InferStreamTool(name, "a tool", func(context.Context, City) (*schema.StreamReader[string], error) {
		reader, writer := schema.Pipe[string](0)
		go func() {
			defer writer.Close()
			for _, chunk := range chunks {
				if chunk == "!" {
					writer.Send("", errors.New("the line broke"))
					return
				}
				if writer.Send(chunk, nil) {
					return
				}
				if produced != nil {
					*produced++
				}
			}
		}()
		return reader, nil
	}))
}

// Tools is a config with these tools.
func Tools(tools ...tool.BaseTool) compose.ToolsNodeConfig {
	return compose.ToolsNodeConfig{Tools: tools}
}

// Model answers with the messages of a script, one after the other.
type Model struct {
	mu     sync.Mutex
	Script []*schema.Message
	Chunks [][]*schema.Message // for a turn that is streamed in parts
	turn   int
}

// Generate is the next message.
func (m *Model) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turn >= len(m.Script) {
		return nil, errors.New("the script is over")
	}
	m.turn++
	copied := *m.Script[m.turn-1]
	return &copied, nil
}

// Stream is the next message, in the parts that Chunks names.
func (m *Model) Stream(ctx context.Context, in []*schema.Message, options ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	turn := m.turn
	message, err := m.Generate(ctx, in, options...)
	if err != nil {
		return nil, err
	}
	if turn < len(m.Chunks) && m.Chunks[turn] != nil {
		return schema.StreamReaderFromArray(m.Chunks[turn]), nil
	}
	return schema.StreamReaderFromArray([]*schema.Message{message}), nil
}

// WithTools changes nothing: the script knows the tools.
func (m *Model) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

// Store keeps checkpoints in memory.
type Store struct {
	mu   sync.Mutex
	kept map[string][]byte
}

// NewStore is an empty store.
func NewStore() *Store { return &Store{kept: map[string][]byte{}} }

// Get reads a checkpoint.
func (s *Store) Get(_ context.Context, id string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.kept[id]
	return data, ok, nil
}

// Set writes a checkpoint.
func (s *Store) Set(_ context.Context, id string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[id] = data
	return nil
}

// expiring is a context whose deadline passes when all tools run.
type expiring struct {
	context.Context
	running sync.WaitGroup
	done    chan struct{}
}

func (c *expiring) expire() {
	c.running.Wait()
	close(c.done)
}

// Done is closed when the deadline has passed.
func (c *expiring) Done() <-chan struct{} { return c.done }

// Err is what a context says whose deadline has passed.
func (c *expiring) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(fmt.Sprintf("the scenario itself is wrong: %v", err))
	}
}
