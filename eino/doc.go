// Package toolwatch watches the tool calls of Eino graphs and agents, and sends them to a Toolwatch server, or
// to any backend that takes OpenTelemetry spans.
//
//	watch, err := toolwatch.Instrument(ctx)
//	if err != nil {
//		log.Print(err) // the program can go on, unwatched
//	}
//	defer watch.Shutdown(context.Background())
//
// What it tells of each call: what the model asked for, what the tool received, each attempt and its error or
// result, what the model was told, pauses and what became of them, and what was lost to a sibling's failure.
// WrapTools and WrapModel let it see more; WithThread says which conversation a run belongs to.
//
// It does no harm: a fault of its own is caught, nothing waits for the network, streams are read only as their
// reader asks, and the global tracer provider stays the program's.
package toolwatch
