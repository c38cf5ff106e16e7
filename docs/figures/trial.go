package main

import (
	"fmt"
	"io"
	"strings"

	"chaff/config"
	"chaff/corpus"
)

// trial is what -protocol and the flags that belong to it ask for.
type trial struct {
	protocols []protocol
	part      corpus.Part
	models    []string // none for the default one
	set       []config.Setting
	changed   bool // whether a flag beside -protocol was given
}

func protocolNames() string {
	var names []string
	for _, p := range protocols() {
		names = append(names, p.name)
	}
	return strings.Join(names, ",")
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
		return fmt.Errorf("must be KEY=VALUE")
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
	r, err := b.by(t.protocols, models)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, r.text())
	return err
}
