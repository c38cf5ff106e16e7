package store

import (
	"bytes"
	"cmp"
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

// names are what every user of a log needs of its header. Reading all of it takes a process for one message longer than all else that it reads of the log.
type names struct {
	Classes []string    `json:"classes"`
	Model   string      `json:"model"`
	Key     termkey.Key `json:"-"` // has a place of its own
}

// recipe is all that a model is made of, besides messages: the settings in the header of its log.
type recipe struct {
	names
	Trainer  json.RawMessage          `json:"trainer"`
	Message  message.Options          `json:"message"`
	Tokenize tokenize.Options         `json:"tokenize"`
	Features features.Options         `json:"features"`
	Split    corpus.SplitOptions      `json:"split"`
	Seed     uint64                   `json:"seed"`
	Limits   metrics.ThresholdOptions `json:"threshold_limits"`
	Terms    string                   `json:"terms_version"`
}

// newRecipe returns the recipe of a model with these settings.
func newRecipe(classes []string, model string, c train.CollectOptions, t train.Options) (recipe, error) {
	trainer, _, err := t.Models.New(model, c.Seed)
	if err != nil {
		return recipe{}, err
	}
	settings, err := json.Marshal(trainer)
	if err != nil {
		return recipe{}, fmt.Errorf("encode settings of %s: %w", model, err)
	}
	o := c.Reading
	return recipe{names{classes, model, o.Key}, settings, o.Message, o.Tokenize, c.Features, c.Split, c.Seed, t.Thresholds, tokenize.Version}, nil
}

// recipeOf returns the recipe that a model was made by.
func recipeOf(f train.Made) (recipe, error) {
	p, err := train.ProvenanceOf(f)
	return recipeFrom(f.Settings(), p), err
}

// recipeFrom returns the recipe that the file of a model has.
func recipeFrom(s filter.Settings, p train.Provenance) recipe {
	return recipe{names{s.Classes, s.Model, s.Key}, p.Trainer, s.Message, s.Tokenize, p.Features, p.Split, p.Seed, p.Limits, s.TermsVersion}
}

func namesIn(log *logfile.Log) (n names, err error) {
	if err = json.Unmarshal(log.Settings, &n); err == nil {
		n.Key, err = termkey.FromBytes(log.Key)
	}
	if err != nil || len(n.Classes) < 2 {
		return n, fmt.Errorf("%w: its settings", logfile.ErrDamaged)
	}
	return n, models.Gone(n.Model)
}

// recipeIn reads the recipe in the header of a log. A setting that it lacks has its default value; one that this program does not know is left out.
func recipeIn(log *logfile.Log) (r recipe, err error) {
	r = recipe{Message: message.DefaultOptions(), Tokenize: tokenize.DefaultOptions(), Features: features.DefaultOptions()}
	if r.names, err = namesIn(log); err == nil && json.Unmarshal(log.Settings, &r) != nil {
		err = fmt.Errorf("%w: its settings", logfile.ErrDamaged)
	}
	return r, err
}

// settings returns the settings that the model is fitted with.
func (r recipe) settings() (train.CollectOptions, train.Options, error) {
	o := train.Options{Thresholds: r.Limits}
	var err error
	o.Models, err = models.OptionsFrom(r.Model, r.Trainer)
	err = cmp.Or(err, r.Limits.Validate()) // a fit checks the others
	reading := filter.Reading{Key: r.Key, Message: r.Message, Tokenize: r.Tokenize}
	return train.CollectOptions{ReadOptions: train.ReadOptions{Reading: reading}, Features: r.Features, Split: r.Split, Seed: r.Seed}, o, err
}

// empty returns the model that knows nothing, and the mail that it knows: none.
func (r recipe) empty() (*train.Mail, *filter.Filter, error) {
	c, t, err := r.settings()
	if err != nil {
		return nil, nil, err
	}
	return train.Empty(r.Classes, r.Model, c, t)
}

// Fingerprint returns the digest by which a message is known.
func (n names) Fingerprint(raw []byte) uint64 {
	return corpus.Fingerprint(message.Original(raw), n.Key)
}

// NameHash returns the hash of a name, that of a mailbox or of a file in it.
func (n names) NameHash(name string) uint64 { return n.Key.Hash([]byte(name)) }

// difference returns the first setting in which two recipes differ that have to agree for their documents to mean the same; "" for none.
func (r recipe) difference(other recipe) string {
	switch {
	case !bytes.Equal(r.Key.Bytes(), other.Key.Bytes()):
		return "the secret key"
	case !slices.Equal(r.Classes, other.Classes):
		return fmt.Sprintf("the list of classes (%s; %s)", strings.Join(r.Classes, ", "), strings.Join(other.Classes, ", "))
	case r.Model != other.Model:
		return fmt.Sprintf("the model (%s; %s)", r.Model, other.Model)
	case r.Terms != other.Terms:
		return fmt.Sprintf("the version of the terms (%s; %s)", r.Terms, other.Terms)
	}
	mine, theirs := r.members(), other.members()
	for _, name := range slices.Sorted(maps.Keys(mine)) { // a setting that only one has is one that another version has
		if value, has := theirs[name]; has && mine[name] != value {
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
