package redaction

// Hit is a rule and how many values it hid.
type Hit struct {
	Rule  string
	Count int
}
