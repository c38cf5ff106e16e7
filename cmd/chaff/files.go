package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/google/renameio/v2/maybe"
)

// writeFile writes a file in one step: whoever opens it sees what was there before, or all of the new one.
func writeFile(path string, write func(w io.Writer) error) error {
	var data bytes.Buffer
	if err := write(&data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := maybe.WriteFile(path, data.Bytes(), 0o644); err != nil {
		var pathError *fs.PathError
		if errors.As(err, &pathError) { // which may name a temporary file
			err = pathError.Err
		}
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
