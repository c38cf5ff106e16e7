package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"chaff/filter"
	"chaff/internal/replace"
)

// Sharing is what the process that shares a model with other hosts says of itself, for people: the file MODEL.share. What has been shared is in the log.
type Sharing struct {
	Format string `json:"format"` // sharingFormat
	Host   string `json:"host"`
	// Written is when the process wrote this.
	Written time.Time `json:"written"`
	// Published is how many records this host has put into the stream, Waiting how many wait for that, and Cut how many had terms left out.
	Published uint64 `json:"published"`
	Waiting   uint64 `json:"waiting"`
	Cut       uint64 `json:"cut,omitempty"`
	// Applied is how many records of other hosts were learned, Twice how many came again, and Refused how many were refused, by reason.
	Applied uint64            `json:"applied"`
	Twice   uint64            `json:"twice"`
	Refused map[string]uint64 `json:"refused"`
	// Lag is how many seconds after it got its place in the stream the last record was learned here.
	Lag float64 `json:"lag_seconds"`
	// Position is the place of the last record in the stream that the log has, and End that of the last one there is.
	Position uint64 `json:"position"`
	End      uint64 `json:"stream_position"`
	// Fitter is the host that has fitted the model last, and Fitted when; empty and nil for none.
	Fitter string     `json:"fitter,omitempty"`
	Fitted *time.Time `json:"fitted,omitempty"`
	// Problem is why nothing is shared at the moment.
	Problem string `json:"problem,omitempty"`
}

// sharingSuffix is appended to the path of a model to name that file.
const sharingSuffix = ".share"

const sharingFormat = "chaff share 1"

// sharingKind is the kind of these files.
var sharingKind = replace.Kind{Name: "state of chaff share", Start: `{"format":"` + sharingFormat + `"`}

// ReadSharing returns what a process that shares the model at path has said last, and reports whether there was one.
func ReadSharing(path string) (s Sharing, is bool, err error) {
	if target, err := replace.Target(path); err == nil {
		path = target
	}
	file, _, err := replace.OpenRegular(path+sharingSuffix, path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		defer file.Close()
		if json.NewDecoder(file).Decode(&s) != nil || s.Format != sharingFormat {
			err = errors.New("no " + sharingKind.Name)
		}
	}
	if err != nil {
		return Sharing{}, false, fmt.Errorf("read %s: %w", path+sharingSuffix, replace.Reason(err))
	}
	return s, true, nil
}

// Write writes the file of the model at path.
func (s Sharing) Write(path string) error {
	s.Format = sharingFormat
	data, _ := json.Marshal(s) // no error: JSON has its numbers, texts and times
	if err := replace.File(path+sharingSuffix, sharingKind, append(data, '\n'), filter.NewFileMode); err != nil {
		return fmt.Errorf("save %s: %w", path+sharingSuffix, err)
	}
	return nil
}
