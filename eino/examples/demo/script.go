package main

import (
	"context"
	"errors"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// scripted is a model that says one message after the other.
type scripted struct{ script []*schema.Message }

func (s *scripted) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	if len(s.script) == 0 {
		return nil, errors.New("the script is over")
	}
	said := s.script[0]
	s.script = s.script[1:]
	return said, nil
}

func (s *scripted) Stream(
	ctx context.Context, in []*schema.Message, options ...model.Option,
) (*schema.StreamReader[*schema.Message], error) {
	said, err := s.Generate(ctx, in, options...)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray([]*schema.Message{said}), nil
}

func (s *scripted) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return s, nil }

// store keeps one checkpoint.
type store struct{ kept []byte }

func (s *store) Get(context.Context, string) ([]byte, bool, error) { return s.kept, s.kept != nil, nil }

func (s *store) Set(_ context.Context, _ string, data []byte) error {
	s.kept = data
	return nil
}
