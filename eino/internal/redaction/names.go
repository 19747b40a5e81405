package redaction

import (
	"regexp"
	"strings"
)

const longestName = 128

var parts = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+|\d+`)

type words map[string]wordList

// split is a name in words: clientSecret holds client and secret, APIKey holds api and key.
func split(name string) []string {
	var found []string
	for _, at := range parts.FindAllStringIndex(separated(name), -1) {
		found = append(found, strings.ToLower(separated(name)[at[0]:at[1]]))
	}
	return found
}

// separated puts a blank between capitals and the capitalised word after them.
func separated(name string) string {
	var out strings.Builder
	for i := range len(name) {
		capital := func(at int) bool { return at >= 0 && at < len(name) && name[at] >= 'A' && name[at] <= 'Z' }
		small := i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'
		if capital(i) && capital(i-1) && small {
			out.WriteByte(' ')
		}
		out.WriteByte(name[i])
	}
	return out.String()
}

// isSensitive says whether a field of this name holds a credential.
func (w words) isSensitive(name string) bool {
	if name == "" || len(name) > longestName {
		return false
	}
	lower := strings.ToLower(name)
	if !isASCII(name) {
		for word := range w["foreign"] {
			if strings.Contains(lower, word) {
				return true
			}
		}
	}
	list := split(name)
	for len(list) > 1 && (isNumber(list[len(list)-1]) || len(list[len(list)-1]) == 1) {
		list = list[:len(list)-1]
	}
	compact := strings.Join(list, "")
	if w["exact"][compact] || (len(list) == 1 && w["one_word"][compact]) {
		return true
	}
	if len(list) == 0 || w["not_first"][list[0]] {
		return false
	}
	for len(list) > 1 && w["after"][list[len(list)-1]] && !w.namesSecret(list) {
		list = list[:len(list)-1]
	}
	return w.namesSecret(list)
}

func (w words) namesSecret(list []string) bool {
	last := list[len(list)-1]
	if w["nouns"][last] || w.isKey(list) {
		return true
	}
	if last == "tokens" {
		return len(list) > 1 && w["plural"][list[len(list)-2]]
	}
	compact := strings.Join(list, "")
	for ending := range w["endings"] {
		if strings.HasSuffix(compact, ending) {
			return true
		}
	}
	return false
}

// isKey knows that a key is a secret only with such a word before it: sort and cache keys are none.
func (w words) isKey(list []string) bool {
	return list[len(list)-1] == "key" && len(list) > 1 && w["key_qualifiers"][list[len(list)-2]]
}

func (w words) isPersonal(name string) bool {
	return w["personal"][strings.Join(split(name), "")]
}

// hidesNumbers says whether even a number is the secret: a PIN is, the count of a token is not.
func (w words) hidesNumbers(name string) bool {
	list := split(name)
	return len(list) > 0 && (w["numbers"][list[len(list)-1]] || w["numbers"][strings.Join(list, "")])
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
