package redaction

import (
	"math/big"
	"net/netip"
	"strings"
)

// ibanLengths are the lengths of bank account numbers by country.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
	"BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
	"ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
	"HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
	"LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
	"MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29,
	"RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28,
	"TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}

var privateNets = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fc00::/7"),
	netip.MustParsePrefix("fe80::/10"),
}

func digitsOf(value []byte) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, string(value))
}

func luhn(digits string) bool {
	total := 0
	for place := range len(digits) {
		value := int(digits[len(digits)-1-place]-'0') * (1 + place%2)
		if value > 9 {
			value -= 9
		}
		total += value
	}
	return total%10 == 0
}

// isCard knows numbers that an issuer of payment cards could have given.
func isCard(digits string) bool {
	if len(digits) < 13 {
		return false
	}
	number := func(size int) (n int) {
		for _, digit := range digits[:size] {
			n = n*10 + int(digit-'0')
		}
		return n
	}
	two, four, size := number(2), number(4), len(digits)
	in := func(value int, list ...int) bool {
		for _, item := range list {
			if item == value {
				return true
			}
		}
		return false
	}
	issued := (digits[0] == '4' && in(size, 13, 16, 19)) ||
		((two >= 51 && two <= 55 || four >= 2221 && four <= 2720) && size == 16) ||
		(in(two, 34, 37) && size == 15) ||
		((four == 6011 || in(two, 64, 65)) && in(size, 16, 19)) ||
		(four >= 3528 && four <= 3589 && size == 16) ||
		((four/10 >= 300 && four/10 <= 305 || in(two, 36, 38, 39)) && size == 14) ||
		(in(two, 62, 81) && size >= 16 && size <= 19) ||
		(in(two, 50, 56, 57, 58, 63, 67) && in(size, 16, 18, 19))
	return issued && strings.Trim(digits, digits[:1]) != "" && luhn(digits)
}

// isIBAN knows a bank account number of its country's length whose remainder by 97 is 1.
func isIBAN(text string) bool {
	compact := strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if len(compact) < 4 || ibanLengths[compact[:2]] != len(compact) {
		return false
	}
	number := new(big.Int)
	for _, char := range compact[4:] + compact[:4] {
		value, base := int64(char-'0'), int64(10)
		if char >= 'A' {
			value, base = int64(char-'A')+10, 100
		}
		number.Add(number.Mul(number, big.NewInt(base)), big.NewInt(value))
	}
	return new(big.Int).Mod(number, big.NewInt(97)).Int64() == 1
}

func isPrivateAddress(text string) bool {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return false
	}
	for _, net := range privateNets {
		if net.Contains(address) {
			return true
		}
	}
	return false
}

// isChineseID knows resident identity numbers by their check character.
func isChineseID(text string) bool {
	weights := []int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2}
	rest := 0
	for i, weight := range weights {
		rest += int(text[i]-'0') * weight
	}
	month := int(text[10]-'0')*10 + int(text[11]-'0')
	return strings.ToUpper(text[17:]) == "10X98765432"[rest%11:rest%11+1] && month >= 1 && month <= 12
}

// isCPF knows Brazilian tax numbers by their two check digits.
func isCPF(digits string) bool {
	if len(digits) != 11 || strings.Trim(digits, digits[:1]) == "" {
		return false
	}
	for _, size := range []int{9, 10} {
		rest := 0
		for i := range size {
			rest += int(digits[i]-'0') * (size + 1 - i)
		}
		if rest*10%11%10 != int(digits[size]-'0') {
			return false
		}
	}
	return true
}
