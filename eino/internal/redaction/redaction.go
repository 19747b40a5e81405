package redaction

import (
	"bytes"
	"encoding/base64"
	"errors"
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	mostPasses    = 8
	mostDecodings = 2
	failedMark    = "[redaction failed]"
)

var (
	percentRun = regexp.MustCompile(`[^\s"'<>]*%[0-9A-Fa-f]{2}[^\s"'<>]*`)
	urlSafe    = strings.NewReplacer("-", "+", "_", "/")

	errUnscannable = errors.New("hiding did not come to rest")
)

// Redactor hides secrets and leaves marks. It answers for any input and never panics.
type Redactor struct {
	rules []rule
	words words
	clean cleanTexts // as plain texts
	whole cleanTexts // as JSON
}

// found is a part to hide and the rule's place in the table.
type found struct{ start, end, rule int }

// New is the redactor of this process, whose table is read once; an error names the rule that is wrong.
func New() (*Redactor, error) { return shared() }

var shared = sync.OnceValues(func() (*Redactor, error) {
	rules, known, err := load()
	if err != nil {
		return nil, err
	}
	return &Redactor{rules: rules, words: known}, nil
})

// Text is the text with marks in place of secrets, and which rules hid how many.
func (r *Redactor) Text(text string) (hidden string, hits []Hit) {
	defer func() {
		if recover() != nil {
			hidden, hits = failedMark, []Hit{{"redaction-failed", 1}}
		}
	}()
	if r.clean.has(text) {
		return text, nil
	}
	counts := map[string]int{}
	hidden, err := r.hide(text, counts)
	if err != nil {
		return failedMark, []Hit{{"redaction-failed", 1}}
	}
	if len(counts) == 0 && hidden == text {
		r.clean.add(text)
	}
	return hidden, asHits(counts)
}

func asHits(counts map[string]int) []Hit {
	var hits []Hit
	for name, count := range counts {
		hits = append(hits, Hit{name, count})
	}
	sort.Slice(hits, func(i, j int) bool { return hits[i].Rule < hits[j].Rule })
	return hits
}

// hide takes more than one pass, because a mark may bring together what a secret kept apart.
func (r *Redactor) hide(text string, counts map[string]int) (string, error) {
	data := []byte(strings.ToValidUTF8(text, "�"))
	for range mostPasses {
		parts := merged(data, r.find(data, 0))
		if len(parts) == 0 {
			return string(data), nil
		}
		var out bytes.Buffer
		at := 0
		for _, part := range parts {
			name := r.rules[part.rule].name
			counts[name]++
			out.Write(data[at:part.start])
			out.WriteString("[" + name + "]")
			at = part.end
		}
		out.Write(data[at:])
		data = out.Bytes()
	}
	return "", errUnscannable
}

// find is what is to be hidden, in plain and in encoded form.
func (r *Redactor) find(data []byte, depth int) []found {
	lower := bytes.ToLower(data)
	var all []found
	for i, rule := range r.rules {
		if rule.check != "percent" && rule.mayMatch(lower) {
			all = append(all, r.parts(i, data, depth)...)
		}
	}
	if depth >= mostDecodings {
		return all
	}
	for _, run := range percentRun.FindAllIndex(data, -1) {
		plain, places := unquoted(data, run[0], run[1])
		for _, part := range r.find(plain, depth+1) {
			all = append(all, found{places[part.start], places[part.end], part.rule})
		}
	}
	return all
}

func (r *Redactor) parts(i int, data []byte, depth int) []found {
	var all []found
	pattern := r.rules[i].pattern
	for begin := 0; begin < len(data); {
		match := matchFrom(pattern, data, begin)
		if match == nil {
			break
		}
		at := match[0]
		start, end := hiddenPart(match)
		part := r.judge(i, data, at, start, end, depth)
		if part.ok {
			all = append(all, found{part.start, part.end, i})
		}
		next := end
		if !part.ok && start > at && end-start <= longestWord {
			next = start
		}
		begin = max(next, at+1)
	}
	return all
}

// matchFrom is the next match at or after a place. The character before the place stays in sight, since
// patterns ask for the borders of words.
func matchFrom(pattern *regexp.Regexp, data []byte, begin int) []int {
	_, size := utf8.DecodeLastRune(data[:begin])
	match := shifted(pattern.FindSubmatchIndex(data[begin-size:]), begin-size)
	if match != nil && match[0] < begin {
		match = shifted(pattern.FindSubmatchIndex(data[begin:]), begin)
	}
	return match
}

func shifted(match []int, by int) []int {
	for i := range match {
		if match[i] >= 0 {
			match[i] += by
		}
	}
	return match
}

// hiddenPart is the first group that took part, or the whole match.
func hiddenPart(match []int) (start, end int) {
	for i := 2; i < len(match); i += 2 {
		if match[i] >= 0 {
			return match[i], match[i+1]
		}
	}
	return match[0], match[1]
}

func (r *Redactor) judge(i int, data []byte, at, start, end, depth int) span {
	if isMarked(data, start, end) {
		return span{}
	}
	if r.rules[i].check == "base64" {
		hides := depth < mostDecodings && len(r.find(decoded(data[start:end]), depth+1)) > 0
		return when(hides, start, end)
	}
	judge, known := checks[r.rules[i].check]
	if !known {
		judge = anySecret
	}
	return judge(r.words, data, at, start, end)
}

func decoded(run []byte) []byte {
	text := urlSafe.Replace(strings.TrimRight(string(run), "="))
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	plain, _ := base64.RawStdEncoding.DecodeString(text)
	return plain
}

// unquoted is a run without its percent escapes, and where each byte of it stood.
func unquoted(data []byte, begin, end int) ([]byte, []int) {
	var plain []byte
	var places []int
	for at := begin; at < end; {
		places = append(places, at)
		if value, ok := escaped(data[at:end]); ok {
			plain = append(plain, value)
			at += 3
			continue
		}
		plain = append(plain, data[at])
		at++
	}
	return plain, append(places, end)
}

func escaped(data []byte) (byte, bool) {
	if len(data) < 3 || data[0] != '%' {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, data[1]|0x20), strings.IndexByte(hexDigits, data[2]|0x20)
	if high < 0 || low < 0 {
		return 0, false
	}
	return byte(high<<4 | low), true
}

const hexDigits = "0123456789abcdef"

// merged puts overlapping parts together, named after the longest; of equal ones, after the rule that comes first.
func merged(data []byte, all []found) []found {
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.start != b.start {
			return a.start < b.start
		}
		if a.end != b.end {
			return a.end < b.end
		}
		return a.rule < b.rule
	})
	var parts []found
	for _, part := range all {
		part.start, part.end = whole(data, part.start, part.end)
		if len(parts) == 0 || part.start >= parts[len(parts)-1].end {
			parts = append(parts, part)
			continue
		}
		last := &parts[len(parts)-1]
		switch {
		case part.start == last.start && part.end == last.end:
			last.rule = min(last.rule, part.rule)
		case part.end-part.start > last.end-last.start:
			last.rule = part.rule
		}
		last.end = max(last.end, part.end)
	}
	return parts
}

// whole widens a part to whole characters.
func whole(data []byte, start, end int) (int, int) {
	for start > 0 && !utf8.RuneStart(data[start]) {
		start--
	}
	for end < len(data) && !utf8.RuneStart(data[end]) {
		end++
	}
	return start, end
}
