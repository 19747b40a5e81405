package redaction

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// span is a part of a text, in bytes; ok is false where nothing is to be hidden.
type span struct {
	start, end int
	ok         bool
}

// check judges what a pattern cannot say: it is given the text, where the match begins, and the part to hide.
type check func(w words, data []byte, at, start, end int) span

const around = 48

var (
	nameBefore = regexp.MustCompile(`[\w.\-\x{80}-\x{10ffff}]*$`)
	nameAt     = regexp.MustCompile(`^[\w.\-\x{80}-\x{10ffff}]*`)
	lineStart  = regexp.MustCompile(`(?:^|[\n,{(]|\\n)[ \t]*(?:(?:ENV|export|set|-|-e|--env)[ \t]+)?["'\\]*$`)
	lineEnd    = regexp.MustCompile(`^[ \t]*(?:$|[\r\n#]|\\[rn])`)
	bareNumber = regexp.MustCompile(`^\d{3,}$`)
	userinfo   = regexp.MustCompile(`:/{1,3}[^\s/?#]*$`)
	imports    = regexp.MustCompile(`\b(?:from|import|module|package)[ ]+$`)
	cardWords  = regexp.MustCompile(`(?i)(?:card|\bcc\b|\bpan\b|visa|master|amex|maestro|discover|jcb|diners|unionpay` +
		`|credit|debit|payment|charge|cvv|卡)`)
	notCard = regexp.MustCompile(`(?i)(?:id|offset|size|bytes|ns|ms|seq|epoch|row|order|tracking|hash|time\w*|span|at)` +
		`["']?[ \t]*[:=#]?[ \t]*["']?$`)
	structural = regexp.MustCompile(`(?i)^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|sha\d+[:=].*|md5[:=].*` +
		`|\d{4}-\d\d-\d\d.*|[\d.:,_/-]+|v?\d+(?:\.\d+)+.*` +
		`|.*\.(?:py|js|ts|go|json|html?|ya?ml|pdf|txt|md)(?::\d+)?` +
		`|(?:call|toolu|run|chatcmpl|msg|thread|lc_run|sess|session|task|req|fc|resp|step|u|user)[-_].*` +
		`|[a-z]+://.*|/.*|[a-z_]+\[.*|[a-z]+=.*` +
		`|(?:utf|iso|cl|o)\d*[-_]?\w*base\w*|\d+[a-z]{1,3}|[a-z]+\d{1,2}` +
		`|(?:[a-z]+[-_])+[a-z]*\d{0,4}|[a-z_]+(?:\.[a-z_]+)+|(?:[a-z]+[-_/])+[a-z]+\d?)$`)
	queryNames  = regexp.MustCompile(`^(?i)[?&;#](?:pass|pwd|secret|token|api|access_?token|client_secret|appid)`)
	hexRun      = regexp.MustCompile(`^[0-9a-f]+$`)
	plainOption = regexp.MustCompile(`^(?:[A-Z_]+|-.*|.{1,3})$`)
	port        = regexp.MustCompile(`^\d{1,5}(?:[/?#,]|$)`)
	version     = regexp.MustCompile(`(?i)(?:version|release|\bv|==)[ =:]*$`)
	member      = regexp.MustCompile(`^(?:[.(\[]\w|\()`)
)

var codeOwners = []string{
	"threading", "_threading", "_thread", "self", "cls", "flask", "werkzeug", "asgiref", "gevent", "this",
}

var fileEndings = []string{"png", "jpg", "svg", "py", "js", "git"}

var checks = map[string]check{
	"": anySecret, "secret": anySecret, "mixed": mixed, "vendor_key": vendorKey, "jwt": jsonWebToken, "header": header,
	"query": query, "option": option, "prose": prose, "url_password": urlPassword, "pair": pair, "card": card,
	"iban": iban, "phone": phone, "phone_digits": phoneDigits, "ssn": socialSecurity, "national_id": nationalID,
	"private_address": privateAddress, "internal_host": internalHost, "email": email,
}

func when(ok bool, start, end int) span { return span{start, end, ok} }

func before(data []byte, at, size int) []byte { return data[max(0, at-size):at] }

func byteAt(data []byte, at int) byte {
	if at < 0 || at >= len(data) {
		return 0
	}
	return data[at]
}

func anySecret(_ words, data []byte, _, start, end int) span {
	return when(!isPlaceholder(data[start:end]), start, end)
}

func mixed(_ words, data []byte, _, start, end int) span {
	return when(isMixed(data[start:end]) && !isPlaceholder(data[start:end]), start, end)
}

// vendorKey wants a random body after the prefix: no file name of many words, no id of one hexadecimal run.
func vendorKey(_ words, data []byte, _, start, end int) span {
	body := data[start:end]
	pieces := bytes.FieldsFunc(body, func(r rune) bool { return r == '-' || r == '_' })
	long := slices.MaxFunc(pieces, func(a, b []byte) int { return len(a) - len(b) })
	if len(long) < 12 && len(pieces) > 3 {
		return span{}
	}
	hexadecimal := len(pieces) == 2 && !bytes.HasPrefix(body, []byte("sk")) && hexRun.Match(long)
	return when(hasDigit(long) && hasLetter(long) && !hexadecimal, start, end)
}

// jsonWebToken wants three parts, or two that both are JSON: a cursor in base64 has none.
func jsonWebToken(_ words, data []byte, _, start, end int) span {
	pieces := bytes.Split(data[start:end], []byte("."))
	return when(len(pieces) > 2 || bytes.HasPrefix(pieces[1], []byte("ey")), start, end)
}

func header(w words, data []byte, _, start, end int) span {
	value := data[start:end]
	return when(!isPlaceholder(value) && !w.isWord(value) && !w.isExpression(value), start, end)
}

// query knows that a short word in a query is a state or a page.
func query(w words, data []byte, at, start, end int) span {
	value := data[start:end]
	enough := 16
	if queryNames.Match(data[at:]) {
		enough = 6
	}
	plain := isPlaceholder(value) || w.isWord(value) || structural.Match(value)
	return when(!plain && len(value) >= enough && isMixed(value), start, end)
}

func option(w words, data []byte, at, start, end int) span {
	if plainOption.Match(data[start:end]) {
		return span{}
	}
	return header(w, data, at, start, end)
}

// prose hides in a sentence only what no language has as a word, and no id, time, hash or path.
func prose(w words, data []byte, _, start, end int) span {
	value := bytes.TrimRight(data[start:end], ".:!?")
	plain := !isMixed(value) || isPlaceholder(value) || structural.Match(value) || w.isExpression(value)
	return when(!plain, start, start+len(value))
}

// urlPassword knows a port and its path, as in http://host:80/?to=a@b.
func urlPassword(_ words, data []byte, _, start, end int) span {
	value := data[start:end]
	return when(!port.Match(value) && !isPlaceholder(value) && !bytes.HasPrefix(value, []byte("{")), start, end)
}

// pair wants the name before the sign to be one of a secret, and the value to be a value.
func pair(w words, data []byte, at, start, end int) span {
	ahead := nameBefore.Find(before(data, at, 64))
	name := string(ahead) + string(nameAt.Find(data[at:min(len(data), at+64)]))
	name = strings.Trim(name, ".-")
	if !w.isSensitive(name) {
		return span{}
	}
	if bareNumber.Match(data[start:end]) && w.hidesNumbers(name) {
		return when(true, start, end)
	}
	return valueOf(w, data, at-len(ahead), start, end)
}

func valueOf(w words, data []byte, at, start, end int) span {
	value := data[start:end]
	if isPlaceholder(value) || w.isWord(value) {
		return span{}
	}
	if quote := byteAt(data, start-1); quote == '"' || quote == '\'' {
		return when(true, start, end)
	}
	if w.isExpression(value) {
		return span{}
	}
	alone := lineStart.Match(before(data, at, around)) && lineEnd.Match(data[end:])
	if !bytes.Contains(data[at:start], []byte("=")) && !isMixed(value) && !alone {
		return span{}
	}
	for end-start > 1 && strings.IndexByte(").]}:", data[end-1]) >= 0 {
		end--
	}
	return when(true, start, end)
}

// card wants groups as on a card, quotes, or a word such as "card" before it.
func card(_ words, data []byte, _, start, end int) span {
	digits := digitsOf(data[start:end])
	if !isCard(digits) {
		return span{}
	}
	ahead := before(data, start, around)
	if cardWords.Match(ahead) {
		return when(true, start, end)
	}
	quote := byteAt(data, start-1)
	quoted := (quote == '"' || quote == '\'') && byteAt(data, end) == quote
	return when(!notCard.Match(ahead) && (end-start > len(digits) || quoted), start, end)
}

func iban(_ words, data []byte, _, start, end int) span {
	left := ibanLengths[strings.ToUpper(string(data[start:start+2]))]
	if left == 0 {
		return span{}
	}
	for at := start; at < end; at++ {
		if data[at] == ' ' || data[at] == '-' {
			continue
		}
		if left--; left == 0 {
			return when(isIBAN(string(data[start:at+1])), start, at+1)
		}
	}
	return span{}
}

func phone(_ words, data []byte, _, start, end int) span {
	digits := len(digitsOf(data[start:end]))
	ahead := before(data, start, 1)
	return when(digits >= 8 && digits <= 15 && !hasLetter(ahead) && !hasDigit(ahead), start, end)
}

func phoneDigits(_ words, data []byte, _, start, end int) span {
	digits := len(digitsOf(data[start:end]))
	return when(digits >= 7 && digits <= 15 && byteAt(data, start+4) != '-', start, end)
}

func socialSecurity(_ words, data []byte, _, start, end int) span {
	pieces := strings.Split(string(data[start:end]), "-")
	given := pieces[0] != "000" && pieces[0] != "666" && pieces[0] < "900" && pieces[1] != "00" && pieces[2] != "0000"
	return when(given, start, end)
}

func nationalID(_ words, data []byte, _, start, end int) span {
	if end-start == 18 {
		return when(isChineseID(string(data[start:end])), start, end)
	}
	return when(isCPF(digitsOf(data[start:end])), start, end)
}

func privateAddress(_ words, data []byte, _, start, end int) span {
	return when(!version.Match(before(data, start, 12)) && isPrivateAddress(string(data[start:end])), start, end)
}

// internalHost knows names in a program or a file: threading.local, pkg.internal.Foo, .env.local.
func internalHost(_ words, data []byte, _, start, end int) span {
	first, rest, _ := strings.Cut(strings.ToLower(string(data[start:end])), ".")
	ahead := byteAt(data, start-1)
	switch {
	case imports.Match(before(data, start, 12)),
		slices.Contains(codeOwners, first),
		rest == "local" && strings.Contains(first, "_"),
		member.Match(data[end:min(len(data), end+2)]),
		ahead == '.' || ahead == '_',
		ahead == '/' && byteAt(data, start-2) != '/':
		return span{}
	}
	return when(true, start, end)
}

// email knows the user and host of an address such as git@github.com: or ssh://git@host.
func email(_ words, data []byte, _, start, end int) span {
	value := data[start:end]
	if bytes.HasPrefix(value, []byte("git@")) || userinfo.Match(before(data, start, 256)) {
		return span{}
	}
	top := strings.ToLower(string(value[bytes.LastIndexByte(value, '.')+1:]))
	return when(!slices.Contains(fileEndings, top), start, end)
}
