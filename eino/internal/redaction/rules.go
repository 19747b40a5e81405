// Package redaction hides secrets in texts before they leave the process, by the same table of rules as the
// Python collector and the server: rules.json is a copy of theirs.
package redaction

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

//go:generate cp ../../../collector/toolwatch/redaction/rules.json rules.json

//go:embed rules.json
var table []byte

// Hit is a rule and how many values it hid.
type Hit struct {
	Rule  string
	Count int
}

// rule hides the first group that took part in a match, or all of it. One of the anchors, lower-case
// literals, stands in every text that it can match.
type rule struct {
	name    string
	pattern *regexp.Regexp
	check   string
	anchors [][]byte
}

type parsedTable struct {
	Parts map[string]string   `json:"parts"`
	Words map[string]wordList `json:"words"`
	Rules []struct {
		Name    string   `json:"name"`
		Pattern string   `json:"pattern"`
		Check   string   `json:"check"`
		Anchors []string `json:"anchors"`
	} `json:"rules"`
}

type wordList map[string]bool

func (w *wordList) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*w = wordList{}
	for _, word := range list {
		(*w)[word] = true
	}
	return nil
}

func load() ([]rule, words, error) {
	var read parsedTable
	if err := json.Unmarshal(table, &read); err != nil {
		return nil, nil, err
	}
	rules := make([]rule, 0, len(read.Rules))
	for _, row := range read.Rules {
		text := row.Pattern
		for name, part := range read.Parts {
			text = strings.ReplaceAll(text, "<"+name+">", part)
		}
		pattern, err := regexp.Compile(text)
		if err != nil {
			return nil, nil, fmt.Errorf("rule %s: %w", row.Name, err)
		}
		r := rule{name: row.Name, pattern: pattern, check: row.Check}
		for _, anchor := range row.Anchors {
			r.anchors = append(r.anchors, []byte(anchor))
		}
		rules = append(rules, r)
	}
	return rules, read.Words, nil
}

// mayMatch is a cheap look at a text in lower case.
func (r rule) mayMatch(lower []byte) bool {
	for _, anchor := range r.anchors {
		if bytes.Contains(lower, anchor) {
			return true
		}
	}
	return len(r.anchors) == 0
}
