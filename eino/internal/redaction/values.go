package redaction

import (
	"bytes"
	"regexp"
	"strings"
)

const longestWord = 200

var (
	placeholder = regexp.MustCompile(`(?is)^(?:[^a-z0-9\x{80}-\x{10ffff}]*` +
		`|(?:\*{3,}|x{3,}|\.{3,}|•+).{0,4}` +
		`|[\[<(]?(?:redacted|filtered|masked|hidden|removed|secret|omitted|private data)[\])>]?` +
		`|\[(?:redacted|filtered|scrubbed|masked)[^\]]*\]` +
		`|<[^<>]*>|\$\{[^}]*\}?|\$\(.*|\{\{?[^{}]*\}?\}?|%s|%\(\w+\)s|\$[a-z_]\w*|%\w+%` +
		`|(?:secretstr|secretbytes|secret)\(.*` +
		`|(?:your|my|the|some|insert|enter)[_-](?:[a-z]+[_-])*(?:key|token|secret|password|here)(?:[_-]here)?` +
		`|none|null|nil)$`)
	expression = regexp.MustCompile(`(?i)^(?:(?:os|self|cls|settings|config|cfg|conf|args|kwargs|request|env|environ` +
		`|process|app|options|opts|params|ctx|context|credentials|creds|user|data|payload|body|constants|event|state` +
		`|st|response|resp|res|secrets|vault|client|session|this|props|getpass|keyring|var|local|module|string)[.\[(].*` +
		`|[a-z_][\w.]*\(.*|[a-z_][\w.]*\[|(?:await|lambda|not|f|r|b)` +
		`|[a-z_]\w*(?:\.[a-z_]\w*)*\.(?:password|passwd|token|secret|key|api_key|value))$`)
	identifier = regexp.MustCompile(`^[A-Za-z_]+$`)
	oddCase    = regexp.MustCompile(`[a-z][A-Z]{2}|[A-Z]{2}[a-z]+[A-Z]|[A-Za-z][!@#$%^&*+~/=]+[A-Za-z]`)
	onlyMarks  = regexp.MustCompile(`^(?:\[(?:redaction failed|[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?::(?:[0-9a-f]{6}){1,2})?)\])+[)\].},:;]*$`)
	oneMark    = regexp.MustCompile(`^\[(?:redaction failed|[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?::(?:[0-9a-f]{6}){1,2})?)\]`)
)

const punctuation = ".,:;!?)]}"

func isPlaceholder(value []byte) bool {
	return len(value) <= longestWord && placeholder.Match(value)
}

// isWord knows a type, a state or a word of a sentence, as in "password: required".
func (w words) isWord(value []byte) bool {
	return w["no_value"][strings.ToLower(string(bytes.TrimRight(value, punctuation)))]
}

// isExpression knows source code that stands for a value, as in "password=self.password".
func (w words) isExpression(value []byte) bool {
	if len(value) > longestWord {
		return false
	}
	if expression.Match(value) {
		return true
	}
	return identifier.Match(value) && bytes.Contains(bytes.Trim(value, "_"), []byte("_")) && w.isSensitive(string(value))
}

// isMixed knows letters with digits, with signs or in odd case: no word of any language.
func isMixed(value []byte) bool {
	if len(value) > longestWord {
		return true
	}
	value = bytes.TrimRight(value, punctuation)
	if len(value) < 5 || !hasLetter(value) {
		return false
	}
	return hasDigit(value) || oddCase.Match(value)
}

func hasLetter(value []byte) bool {
	return bytes.ContainsFunc(value, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

func hasDigit(value []byte) bool {
	return bytes.ContainsFunc(value, func(r rune) bool { return r >= '0' && r <= '9' })
}

// isMarked says whether a part is made of marks, or is a piece of one.
func isMarked(data []byte, start, end int) bool {
	if end > start && data[start] == '[' && onlyMarks.Match(data[start:end]) {
		return true
	}
	from := max(0, start-80)
	opened := bytes.LastIndexByte(data[from:min(len(data), start+1)], '[')
	if opened < 0 {
		return false
	}
	at := oneMark.FindIndex(data[from+opened:])
	return at != nil && from+opened+at[1] >= end
}
