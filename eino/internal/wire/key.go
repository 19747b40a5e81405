package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

const (
	separator = "\x1f"
	null      = "\x00"
)

// Key names a call: the same in every process that meets it. An empty messageID means that no message
// is known; the id of the call is taken as it is, "" included, since Eino knows no missing id.
func Key(scope, messageID string, position int, callID string) string {
	if messageID == "" {
		messageID = null
	}
	text := strings.Join([]string{scope, messageID, strconv.Itoa(position), callID}, separator)
	sum := sha256.Sum256([]byte(text))
	return "c" + hex.EncodeToString(sum[:12])
}
