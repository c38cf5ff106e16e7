package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"chaff/config"
	"chaff/evaluate"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/tokenize"
)

// stateVersion is the version of the state file. The file has JSON lines: a stateHeader, each finished trial, and stateFooter
// at the end of the search.
const stateVersion = 1

// stateHeader identifies the search of a state file.
type stateHeader struct {
	Version int    `json:"chaff_tune_state"`
	Search  string `json:"search"` // a hash of the trials, the settings and how they are compared
	Corpus  string `json:"corpus"` // evaluate.TuningID
}

const stateFooter = `{"complete":true}` + "\n"

// tuneState keeps finished trials in a file. It syncs each, so that no interruption loses one.
type tuneState struct {
	path   string
	header stateHeader
	found  *stateHeader // of the file to resume; nil for a new search
	trials []evaluate.Trial
	size   int64 // of the complete lines of the file to resume
	file   *os.File
}

// openTuneState reads the state to resume, if any, and checks that it belongs to the same search. It writes nothing.
func openTuneState(s search) (*tuneState, error) {
	id, err := s.id()
	if err != nil {
		return nil, err
	}
	state := &tuneState{path: s.state, header: stateHeader{Version: stateVersion, Search: id}}
	var data []byte
	if _, err = replace.Target(s.state); err == nil {
		data, err = os.ReadFile(s.state)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.resume:
		return nil, fmt.Errorf("--resume: there is nothing to go on with: %s does not exist", s.state)
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, replace.ErrDevice) && !s.resume:
		return state, nil
	case err != nil:
		return nil, fmt.Errorf("keep the state of the search in %s: %w", s.state, replace.Reason(err))
	case !s.resume && !bytes.HasSuffix(data, []byte(stateFooter)) && len(data) > 0:
		return nil, hint.With(
			fmt.Errorf("%s holds the trials of a search that is not finished", s.state),
			"--resume continues it; to start again, remove the file or name another with --state",
		)
	case !s.resume:
		return state, nil
	}
	if err := state.parse(data); err != nil {
		return nil, fmt.Errorf("resume from %s: %w", s.state, err)
	}
	if state.found.Search != id {
		return nil, hint.With(
			fmt.Errorf("resume from %s: it is of another search: its settings, values, method, objective or folds differ", s.state),
			"only tune.time and workers may change; to start again, remove the file or name another with --state",
		)
	}
	return state, nil
}

// parse reads a state file. An incomplete last line is ignored, and overwritten later.
func (t *tuneState) parse(data []byte) error {
	data = bytes.TrimSuffix(data, []byte(stateFooter))
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			break
		}
		data = rest
		t.size += int64(len(line)) + 1
		if t.found == nil {
			t.found = new(stateHeader)
			if err := json.Unmarshal(line, t.found); err != nil || t.found.Version != stateVersion {
				return fmt.Errorf("not the state of a search of version %d", stateVersion)
			}
			continue
		}
		var trial evaluate.Trial
		if err := json.Unmarshal(line, &trial); err != nil {
			return fmt.Errorf("line %d is damaged: %w", number, err)
		}
		t.trials = append(t.trials, trial)
	}
	if t.found == nil {
		return errors.New("it is empty")
	}
	return nil
}

// begin opens the file for trials on the given mail.
func (t *tuneState) begin(corpus string) error {
	t.header.Corpus = corpus
	if t.found == nil {
		return t.create()
	}
	if t.found.Corpus != corpus {
		return hint.With(
			fmt.Errorf("resume from %s: it is of other mail, or of mail that was divided in another way", t.path),
			"to start again, remove the file or name another with --state",
		)
	}
	var err error
	if t.file, err = os.OpenFile(t.path, os.O_WRONLY, 0); err != nil {
		return err
	}
	if err := t.file.Truncate(t.size); err != nil {
		return err
	}
	_, err = t.file.Seek(t.size, 0)
	return err
}

func (t *tuneState) create() (err error) {
	t.file, err = replace.Locked(t.path, "", stateKind(), 0o644, func(file *os.File) error { return nil })
	if errors.Is(err, replace.ErrDevice) {
		t.file, err = os.OpenFile(t.path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return fmt.Errorf("keep the state of the search in %s: %w", t.path, err)
	}
	return t.append(t.header)
}

func (t *tuneState) add(trial evaluate.Trial) error { return t.append(trial) }

func (t *tuneState) append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return t.write(append(line, '\n'))
}

func (t *tuneState) write(line []byte) error {
	if _, err := t.file.Write(line); err != nil {
		return fmt.Errorf("keep the state of the search: %w", err)
	}
	if err := t.file.Sync(); !errors.Is(err, syscall.EINVAL) { // of a device
		return err
	}
	return nil
}

// complete marks the search as finished, so that another may overwrite the file.
func (t *tuneState) complete() error { return t.write([]byte(stateFooter)) }

func (t *tuneState) close() { t.file.Close() } // every line was synced

// id identifies everything but the mail that the figures of trials depend on.
func (s search) id() (string, error) {
	base := s.base
	base.Workers, base.Memory, base.Tune.Time = 0, "", ""
	base.Tune.Search = nil // the choices of the trials say more
	choices := make([][]config.Choice, len(s.plan.Trials))
	for i, trial := range s.plan.Trials {
		choices[i] = trial.Choices
	}
	data, err := json.Marshal(struct {
		Terms   string // the rules by which mail becomes terms, which may differ in another version of the program
		Base    config.Config
		Choices [][]config.Choice
		Folds   int
	}{tokenize.Version, base, choices, s.folds})
	if err != nil {
		return "", fmt.Errorf("name the search: %w", err)
	}
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:16]), nil
}
