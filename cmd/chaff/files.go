package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"chaff/internal/replace"
)

// writeFile writes a file in one step: readers see the old content or all of the new. It creates the folder if necessary.
func writeFile(path string, write func(w io.Writer) error) error {
	var data bytes.Buffer
	if err := write(&data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeBytes(path, data.Bytes())
}

// writeBytes is writeFile for data in memory.
func writeBytes(path string, data []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = replace.File(path, data, 0o644)
	}
	if err == nil {
		return nil
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return fmt.Errorf("write %s: %w", path, err)
}
