package toolwatch

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/toolwatch/toolwatch/eino/internal/wire"
)

// textOf is what is text in a message.
func textOf(message *schema.Message) string {
	texts := []string{}
	if message.Content != "" {
		texts = append(texts, message.Content)
	}
	for _, part := range message.UserInputMultiContent {
		if part.Type == schema.ChatMessagePartTypeText {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// partsOf is what is no text in a message: kinds and sizes.
func partsOf(message *schema.Message) []wire.Part {
	parts := []wire.Part{}
	for _, part := range message.UserInputMultiContent {
		switch {
		case part.Image != nil:
			parts = append(parts, partOf("image", &part.Image.MessagePartCommon))
		case part.Audio != nil:
			parts = append(parts, partOf("audio", &part.Audio.MessagePartCommon))
		case part.Video != nil:
			parts = append(parts, partOf("video", &part.Video.MessagePartCommon))
		case part.File != nil:
			parts = append(parts, partOf("file", &part.File.MessagePartCommon))
		case part.Type != schema.ChatMessagePartTypeText:
			parts = append(parts, wire.Part{Type: string(part.Type)})
		}
	}
	return parts
}

// resultOf is the text and the other parts of what a tool returned, and why no message can be made of it.
func resultOf(output *tool.CallbackOutput) (string, []wire.Part, string) {
	if output.ToolOutput == nil {
		return output.Response, nil, ""
	}
	return toolResult(output.ToolOutput)
}

func toolResult(result *schema.ToolResult) (text string, parts []wire.Part, broken string) {
	if result == nil {
		return "", nil, ""
	}
	var texts []string
	for _, part := range result.Parts {
		if part.Type == schema.ToolPartTypeText {
			texts = append(texts, part.Text)
			continue
		}
		common := commonOf(part)
		if common == nil && isMedia(part.Type) {
			broken = fmt.Sprintf("%s content is nil for tool part type %s", part.Type, part.Type)
		}
		parts = append(parts, partOf(string(part.Type), common))
	}
	return strings.Join(texts, "\n"), parts, broken
}

func isMedia(kind schema.ToolPartType) bool {
	switch kind {
	case schema.ToolPartTypeImage, schema.ToolPartTypeAudio, schema.ToolPartTypeVideo, schema.ToolPartTypeFile:
		return true
	}
	return false
}

func commonOf(part schema.ToolOutputPart) *schema.MessagePartCommon {
	switch {
	case part.Image != nil:
		return &part.Image.MessagePartCommon
	case part.Audio != nil:
		return &part.Audio.MessagePartCommon
	case part.Video != nil:
		return &part.Video.MessagePartCommon
	case part.File != nil:
		return &part.File.MessagePartCommon
	}
	return nil
}

// partOf keeps of a part its kind and size, never its bytes or where they are.
func partOf(kind string, common *schema.MessagePartCommon) wire.Part {
	part := wire.Part{Type: kind}
	if common == nil {
		return part
	}
	part.MimeType = optional(common.MIMEType)
	if common.Base64Data != nil {
		data := *common.Base64Data
		padding := len(data) - len(strings.TrimRight(data, "="))
		part.Bytes = wire.Said(len(data)*3/4 - padding)
	}
	return part
}

// jsonOf is a value as JSON; one that is none as a JSON text of how Go prints it.
func jsonOf(value any) string {
	if text, err := json.Marshal(value); err == nil {
		return string(text)
	}
	text, _ := json.Marshal(fmt.Sprintf("%v", value))
	return string(text)
}
