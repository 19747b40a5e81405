package redaction

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const original = "../../../collector/toolwatch/redaction/rules.json"

func TestTheRulesAreThoseOfTheCollector(t *testing.T) {
	theirs, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(theirs, table) {
		t.Error("rules.json differs from the collector's: run go generate ./...")
	}
}

func TestEachRuleHidesItsOwnExamples(t *testing.T) {
	r := redactor(t)
	var read struct {
		Rules []struct {
			Name      string
			Hit, Miss []string
		}
	}
	if err := json.Unmarshal(table, &read); err != nil {
		t.Fatal(err)
	}
	for _, row := range read.Rules {
		for _, example := range row.Hit {
			if _, hits := r.Text(filled(example)); len(hits) == 0 {
				t.Errorf("%s does not hide %q", row.Name, filled(example))
			}
		}
		for _, example := range row.Miss {
			if _, hits := r.Text(filled(example)); has(hits, row.Name) {
				t.Errorf("%s hides %q", row.Name, filled(example))
			}
		}
	}
}

func TestTheCorpusLosesItsSecretsAndKeepsTheRest(t *testing.T) {
	r := redactor(t)
	file, err := os.Open("../../../tests/corpus/redaction.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Text          string
			Secrets, Keep []string
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		inJSON, _ := json.Marshal(map[string]string{"note": filled(row.Text)})
		plain, _ := r.Text(filled(row.Text))
		structured, _ := r.JSON(string(inJSON))
		for _, shown := range []string{plain, structured} {
			for _, secret := range row.Secrets {
				if strings.Contains(shown, filled(secret)) {
					t.Errorf("left %q in %q", filled(secret), shown)
				}
			}
		}
		for _, keep := range row.Keep {
			if !strings.Contains(plain, filled(keep)) {
				t.Errorf("lost %q from %q", filled(keep), plain)
			}
		}
	}
}

func TestHidingTwiceChangesNothing(t *testing.T) {
	r := redactor(t)
	once, _ := r.JSON(`{"password": "hunter2!", "url": "postgres://a:s3cr3tpw@db/x", "n": 1.50}`)
	twice, hits := r.JSON(once)
	if once != twice || len(hits) > 0 {
		t.Errorf("%s became %s", once, twice)
	}
	if !strings.Contains(once, `"n": 1.50`) || strings.Contains(once, "hunter2") || strings.Contains(once, "s3cr3t") {
		t.Error(once)
	}
}

func redactor(t *testing.T) *Redactor {
	t.Helper()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func has(hits []Hit, name string) bool {
	for _, hit := range hits {
		if hit.Rule == name {
			return true
		}
	}
	return false
}

var slots = regexp.MustCompile(`\{([ahdlH])(\d+)\}`)

// filled makes values that look like secrets, so that none stands in a file.
func filled(text string) string {
	alphabets := map[string]string{
		"a": "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z", "h": "3f9c1a7e5b2d8064", "d": "7294816305",
		"l": "k3v9q2m7x4c8w1z6", "H": "K7M2Q9X4C8W1Z6V3",
	}
	return slots.ReplaceAllStringFunc(text, func(slot string) string {
		match := slots.FindStringSubmatch(slot)
		size, _ := strconv.Atoi(match[2])
		alphabet := alphabets[match[1]]
		return strings.Repeat(alphabet, size/len(alphabet)+1)[:size]
	})
}
