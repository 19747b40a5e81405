package scenarios

func ok(tool, id, answer string) Call {
	return Call{Tool: tool, ID: id, Arguments: paris, Attempts: []string{"first ok"}, State: "returned", Answer: answer, By: "tool", Outcome: "ok"}
}

func (c Call) with(arguments string) Call {
	c.Arguments = arguments
	return c
}

func raised(tool, id, text string) Call {
	return Call{Tool: tool, ID: id, Arguments: paris, Attempts: []string{"first tool_error"}, State: "discarded", Silent: true, Error: text, Outcome: "tool_error"}
}

func invalid(tool, id, arguments string) Call {
	return Call{Tool: tool, ID: id, Arguments: arguments, Attempts: []string{"first invalid_args"}, State: "discarded", Silent: true,
		Error: "failed to unmarshal arguments", Outcome: "invalid_args"}
}

func lost(tool, id string) Call {
	return Call{Tool: tool, ID: id, Arguments: paris, Attempts: []string{"first ok"}, State: "discarded", Silent: true, Outcome: "discarded"}
}

func notRun(tool, id string) Call {
	return Call{Tool: tool, ID: id, Arguments: paris, State: "pending", Silent: true, Outcome: "not_started"}
}
