package redaction

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

const (
	fieldRule    = "secret-field"
	personalRule = "personal-field"
)

var schemaKeys = map[string]bool{
	"type": true, "$ref": true, "anyOf": true, "oneOf": true, "allOf": true, "enum": true, "title": true,
}

// field is one of an object, whose fields keep their order.
type field struct {
	name  string
	value any
}

type object []field

// JSON keeps a text that is JSON such; any other is treated as plain text.
func (r *Redactor) JSON(text string) (hidden string, hits []Hit) {
	defer func() {
		if recover() != nil {
			hidden, hits = failedMark, []Hit{{"redaction-failed", 1}}
		}
	}()
	if r.whole.has(text) {
		return text, nil
	}
	counts := map[string]int{}
	hidden = r.nested(text, counts)
	if len(counts) == 0 && hidden == text {
		r.whole.add(text)
	}
	return hidden, asHits(counts)
}

// nested takes JSON within a text apart too: models send arguments encoded twice.
func (r *Redactor) nested(text string, counts map[string]int) string {
	if trimmed := strings.TrimLeft(text, " \t\r\n"); trimmed == "" || (trimmed[0] != '{' && trimmed[0] != '[') {
		return r.plain(text, counts)
	}
	value, err := parse(text)
	if err != nil {
		return r.plain(text, counts)
	}
	inner := map[string]int{}
	value = r.value(value, inner)
	if len(inner) == 0 {
		return text
	}
	for name, count := range inner {
		counts[name] += count
	}
	var out bytes.Buffer
	write(&out, value)
	return out.String()
}

func (r *Redactor) plain(text string, counts map[string]int) string {
	hidden, hits := r.Text(text)
	for _, hit := range hits {
		counts[hit.Rule] += hit.Count
	}
	return hidden
}

func (r *Redactor) value(value any, counts map[string]int) any {
	switch value := value.(type) {
	case string:
		return r.nested(value, counts)
	case object:
		return r.object(value, counts)
	case []any:
		return r.list(value, counts)
	}
	return value
}

func (r *Redactor) object(fields object, counts map[string]int) object {
	kept := make(object, 0, len(fields))
	named := r.pairRule(fields)
	for _, f := range fields {
		rule := r.fieldRule(f.name)
		if named != "" && f.name == "value" {
			rule = named
		}
		name := r.plain(f.name, counts)
		if rule != "" && r.drops(f.name, f.value) {
			counts[rule]++
			kept = append(kept, field{name, "[" + rule + "]"})
			continue
		}
		kept = append(kept, field{name, r.value(f.value, counts)})
	}
	return kept
}

// pairRule knows that {"name": "DB_PASSWORD", "value": …} is a field named DB_PASSWORD.
func (r *Redactor) pairRule(fields object) string {
	for _, f := range fields {
		switch f.name {
		case "name", "key", "header", "field":
			if name, ok := f.value.(string); ok {
				if rule := r.fieldRule(name); rule != "" {
					return rule
				}
			}
		}
	}
	return ""
}

func (r *Redactor) fieldRule(name string) string {
	switch {
	case r.words.isSensitive(name):
		return fieldRule
	case r.words.isPersonal(name):
		return personalRule
	}
	return ""
}

func (r *Redactor) list(items []any, counts map[string]int) []any {
	if len(items) == 2 {
		name, isName := items[0].(string)
		value, isText := items[1].(string)
		if rule := r.fieldRule(name); isName && isText && rule != "" && r.drops(name, value) {
			counts[rule]++
			return []any{r.plain(name, counts), "[" + rule + "]"}
		}
	}
	kept := make([]any, len(items))
	for i, item := range items {
		kept[i] = r.value(item, counts)
	}
	return kept
}

// drops says whether the value of a field with such a name holds a secret.
func (r *Redactor) drops(name string, value any) bool {
	switch value := value.(type) {
	case string:
		data := []byte(value)
		return !onlyMarks.Match(data) && !isPlaceholder(data) && !r.words.isWord(data)
	case json.Number:
		return r.words.hidesNumbers(name) || r.words.isPersonal(name)
	case object:
		for _, f := range value {
			if schemaKeys[f.name] {
				return false
			}
		}
		return len(value) > 0
	case []any:
		return len(value) > 0
	}
	return false
}

// parse reads JSON with the order of its fields and the spelling of its numbers.
func parse(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	value, err := next(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return value, nil
}

func next(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return nextObject(decoder)
	case json.Delim('['):
		items := []any{}
		for decoder.More() {
			item, err := next(decoder)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err := decoder.Token()
		return items, err
	}
	return token, nil
}

func nextObject(decoder *json.Decoder) (any, error) {
	fields := object{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := next(decoder)
		if err != nil {
			return nil, err
		}
		text, _ := name.(string)
		fields = append(fields, field{text, value})
	}
	_, err := decoder.Token()
	return fields, err
}

func write(out *bytes.Buffer, value any) {
	switch value := value.(type) {
	case object:
		out.WriteByte('{')
		for i, f := range value {
			if i > 0 {
				out.WriteString(", ")
			}
			write(out, f.name)
			out.WriteString(": ")
			write(out, f.value)
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, item := range value {
			if i > 0 {
				out.WriteString(", ")
			}
			write(out, item)
		}
		out.WriteByte(']')
	default:
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(value)
		out.Truncate(out.Len() - 1)
	}
}
