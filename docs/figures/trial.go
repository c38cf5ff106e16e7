package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"chaff/config"
	"chaff/corpus"
	"chaff/internal/screen"
)

// trial is the request of -protocol and its flags.
type trial struct {
	protocols []protocol
	part      corpus.Part
	models    []string // none for the default one
	set       []config.Setting
	changed   bool // whether a flag beside -protocol was given
}

// newTrial declares the flags of a trial.
func newTrial(flags *flag.FlagSet) *trial {
	t := &trial{part: corpus.Test}
	flags.Func("protocol", "change nothing, and print the rows of these `protocols` of the block robust, all or some of "+
		strings.Join(protocolNames(), ","), t.setProtocols)
	flags.Func("part", "judge models on this `part`, development or test (default test); needs -protocol", t.setPart)
	flags.Func("model", "measure these `models` instead of the default one; needs -protocol", t.setModels)
	flags.Func("set", "measure with this setting, `key=value`; can be repeated; needs -protocol", t.addSetting)
	return t
}

// check returns an error for flags that conflict. Only is the block to write, empty for all.
func (t *trial) check(only string) error {
	switch {
	case len(t.protocols) == 0 && t.changed:
		return errors.New("-part, -model and -set need -protocol: pages have the figures of the default settings")
	case len(t.protocols) > 0 && only != "" && only != "robust":
		return fmt.Errorf("-protocol is of the block robust, not of %q", only)
	}
	return nil
}

func (t *trial) setProtocols(names string) (err error) {
	t.protocols, err = named(strings.Split(names, ","))
	return err
}

func (t *trial) setPart(name string) error {
	t.changed = true
	for _, part := range []corpus.Part{corpus.Development, corpus.Test} {
		if part.String() == name {
			t.part = part
			return nil
		}
	}
	return fmt.Errorf("must be %v or %v", corpus.Development, corpus.Test)
}

func (t *trial) setModels(names string) error {
	t.changed, t.models = true, strings.Split(names, ",")
	return nil
}

func (t *trial) addSetting(setting string) error {
	t.changed = true
	key, value, found := strings.Cut(setting, "=")
	if !found {
		return errors.New("must be KEY=VALUE")
	}
	t.set = append(t.set, config.Setting{Key: key, Value: value})
	return nil
}

// run measures by the protocols, and prints their rows.
func (t *trial) run(b *bench, stdout io.Writer) error {
	loaded, err := config.Load(config.Sources{Set: t.set})
	if err != nil {
		return err
	}
	b.settings, b.part = loaded.Config, t.part
	models := t.models
	if len(models) == 0 {
		models = []string{b.settings.Model}
	}
	r, err := protocolTest{b}.by(t.protocols, models)
	if err != nil {
		return err
	}
	_, err = screen.Lines{To: stdout}.Write([]byte(r.text()))
	return err
}
