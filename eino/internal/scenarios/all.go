package scenarios

import "slices"

// All are the scenarios that every supported version of Eino runs.
func All() []Scenario {
	return slices.Concat(plain, panics, pauses, streams, agents)
}
