package redaction

type Redactor struct{}

func New() (*Redactor, error) { return &Redactor{}, nil }

func (r *Redactor) Text(text string) (string, []Hit) { return text, nil }
func (r *Redactor) JSON(text string) (string, []Hit) { return text, nil }
