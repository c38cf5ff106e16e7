package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/logfile"
	"chaff/internal/termkey"
	"chaff/message"
	"chaff/metrics"
	"chaff/models"
	"chaff/tokenize"
	"chaff/train"
)

// recipe is all that a model is made of, besides messages: the settings in the header of its log.
type recipe struct {
	Classes  []string                 `json:"classes"`
	Model    string                   `json:"model"`
	Trainer  json.RawMessage          `json:"trainer"`
	Message  message.Options          `json:"message"`
	Tokenize tokenize.Options         `json:"tokenize"`
	Features features.Options         `json:"features"`
	Split    corpus.SplitOptions      `json:"split"`
	Seed     uint64                   `json:"seed"`
	Limits   metrics.ThresholdOptions `json:"threshold_limits"`
	Terms    string                   `json:"terms_version"`
	Key      termkey.Key              `json:"-"` // has a place of its own in the header
}

// recipeOf returns the recipe that a model was made by.
func recipeOf(f train.Made) (recipe, error) {
	p, err := train.ProvenanceOf(f)
	s := f.Settings()
	return recipe{s.Classes, s.Model, p.Trainer, s.Message, s.Tokenize, p.Features, p.Split, p.Seed, p.Limits, s.TermsVersion, s.Key}, err
}

// header returns the header of the log of a model made by the recipe.
func (r recipe) header() ([]byte, error) {
	settings, err := json.Marshal(r)
	return logfile.AppendHeader(nil, r.Key.Bytes(), settings), err
}

// recipeIn reads the recipe in the header of a log. A setting that it lacks has its default value; one that this program does not know is left out.
func recipeIn(log *logfile.Log) (r recipe, err error) {
	r = recipe{Message: message.DefaultOptions(), Tokenize: tokenize.DefaultOptions(), Features: features.DefaultOptions()}
	if err = json.Unmarshal(log.Settings, &r); err == nil {
		r.Key, err = termkey.FromBytes(log.Key)
	}
	if err != nil || len(r.Classes) < 2 {
		return r, fmt.Errorf("%w: its settings", logfile.ErrDamaged)
	}
	return r, models.Gone(r.Model)
}

// settings returns the settings that the model is fitted with.
func (r recipe) settings() (train.CollectOptions, train.Options, error) {
	o := train.Options{Thresholds: r.Limits}
	var err error
	o.Models, err = models.OptionsFrom(r.Model, r.Trainer)
	return train.CollectOptions{ReadOptions: train.ReadOptions{Reading: r.reading()}, Features: r.Features, Split: r.Split, Seed: r.Seed}, o, err
}

func (r recipe) reading() filter.Reading {
	return filter.Reading{Key: r.Key, Message: r.Message, Tokenize: r.Tokenize}
}

// Fingerprint returns the digest by which a message is known.
func (r recipe) Fingerprint(raw []byte) uint64 {
	return corpus.Fingerprint(message.Original(raw), r.Key)
}

// NameHash returns the hash of a name, that of a mailbox or of a file in it.
func (r recipe) NameHash(name string) uint64 { return r.Key.Hash([]byte(name)) }

// difference returns the first setting in which two recipes differ that have to agree for their documents to mean the same; "" for none.
func (r recipe) difference(other recipe) string {
	switch {
	case !bytes.Equal(r.Key.Bytes(), other.Key.Bytes()):
		return "the secret key"
	case !slices.Equal(r.Classes, other.Classes):
		return fmt.Sprintf("the list of classes (%s; %s)", strings.Join(r.Classes, ", "), strings.Join(other.Classes, ", "))
	case r.Model != other.Model:
		return fmt.Sprintf("the model (%s; %s)", r.Model, other.Model)
	}
	mine, theirs := r.members(), other.members()
	all := maps.Clone(theirs)
	maps.Copy(all, mine)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if mine[name] != theirs[name] {
			return "the setting " + name
		}
	}
	return ""
}

// members returns the settings that have to agree, as JSON by name.
func (r recipe) members() map[string]string {
	all := map[string]string{}
	for section, value := range map[string]any{
		"message": r.Message, "tokenize": r.Tokenize, "features": r.Features, "models." + strings.ReplaceAll(r.Model, "-", "_"): r.Trainer,
	} {
		data, _ := json.Marshal(value) // no error: it was JSON
		var members map[string]json.RawMessage
		_ = json.Unmarshal(data, &members)
		for name, value := range members {
			all[section+"."+name] = string(value)
		}
	}
	return all
}
