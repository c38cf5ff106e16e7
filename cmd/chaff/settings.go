package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/config"
	"chaff/corpus"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/models"
	"chaff/train"
)

// onModel is what the commands about models and their settings have in common: flags, and the settings in force.
type onModel struct {
	*program
	command    *cobra.Command
	configFile string
	set        []config.Setting // by --set and by flags of their own, of which the last wins
	replace    bool             // a model that has learned since it was trained
	config.Loaded
}

// add adds the flags to a command: those for the settings, for the model, which the verb is done to, and for JSON, if json says what it is. The settings are
// loaded before the command runs.
func (x *onModel) add(p *program, c *cobra.Command, verb, json string, shorts ...string) {
	x.program, x.command = p, c
	c.PreRunE = func(*cobra.Command, []string) (err error) {
		sources := config.Sources{File: x.configFile, DefaultFile: delivery.Path(x.environ, delivery.ConfigHome, "config.toml"), Environ: x.environ, Set: x.set}
		if x.Loaded, err = config.Load(sources); err != nil {
			return settingsError(sources, err)
		}
		for _, text := range x.Gone {
			x.warn(text)
		}
		x.warnOf(": "+c.CommandPath()+" does not read it", func(_, section string) bool {
			return readers[section] != "" && c.Name() != "config" && !isAmong(c.Name(), readers[section])
		})
		if !isAmong(c.Name(), makers) {
			x.warnOfSettings()
		}
		return nil
	}
	c.Flags().StringVar(&x.configFile, "config", "", "read settings from `FILE` (.toml, .yaml, .json); default $XDG_CONFIG_HOME/chaff/config.toml")
	c.Flags().Func("set", "set `KEY=VALUE`, as tokenize.language=none; chaff config lists the keys", func(text string) error {
		key, value, found := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); !found || key == "" {
			return errors.New("must be KEY=VALUE, such as tokenize.language=none")
		}
		x.set = append(x.set, config.Setting{Key: key, Value: value})
		return nil
	})
	defaults := config.Default()
	all := map[string]struct { // flags that set a setting, or one of several models alike
		usage        string
		keys, values []string
	}{
		"model":     {"train the model `NAME`; default " + defaults.Model, []string{"model"}, models.Names()},
		"workers":   {"read `N` messages in parallel (0: one per core)", []string{"workers"}, nil},
		"memory":    {"keep `SIZE` of data in memory, the rest in temporary files (0: no limit); default " + defaults.Memory, []string{"memory"}, nil},
		"seed":      {"split the mail by the seed `N`", []string{"seed"}, nil},
		"split":     {"split the mail by `METHOD`: grouped, hash or time", []string{"split.method"}, []string{corpus.SplitGrouped, corpus.SplitByHash, corpus.SplitByTime}},
		"smoothing": {"add `N` to each count of naive Bayes (1: Laplace's rule)", []string{"models.bernoulli.smoothing", "models.multinomial.smoothing"}, nil},
		"nats":      {"share by the servers at `URL,...`", []string{"share.nats"}, nil},
		"users":     {"keep a model for each user in the folder `PATH`", []string{"serve.users"}, nil},
	}
	for _, name := range shorts {
		short := all[name]
		c.Flags().Func(name, short.usage, func(value string) error {
			for _, key := range short.keys {
				x.set = append(x.set, config.Setting{Key: key, Value: value})
			}
			return nil
		})
		if short.values != nil {
			_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(short.values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	p.addModelFile(c, verb, json)
}

// readers names the commands that read the settings of a section, if that is not about how a model is made. The command config shows all sections.
var readers = map[string]string{
	"mailbox": "imap learn watch", "serve": "serve", "share": "share", "tune": "tune",
	"store": "collect imap learn merge retrain review serve share train watch",
}

// makers are the commands that read the settings of the other sections: they make a model, always or with some flags, or read mail as a new one would.
const makers = "collect compare config demo evaluate import learn tokens train tune"

func isAmong(command, names string) bool { return slices.Contains(strings.Fields(names), command) }

// warnOfSettings warns of settings given on the command line that a saved model has its own of.
func (x *onModel) warnOfSettings() {
	x.warnOf(": the model has its own settings; chaff train makes one with others", func(_, section string) bool {
		return section != "workers" && section != "memory" && readers[section] == ""
	})
}

// warnOfMailbox warns of settings of mailboxes given on the command line of a command that learns from none without a flag.
func (x *onModel) warnOfMailbox(flag string) {
	x.warnOf(" without "+flag, func(_, section string) bool { return section == "mailbox" })
}

// warnOfModels warns of settings given on the command line that belong to models other than the one to train, and of what thresholds aim at beside costs.
func (x *onModel) warnOfModels() {
	x.warnOf(" on the model "+x.Model, func(key, _ string) bool {
		owner, ofModel := config.OwnerOf(key)
		return ofModel && owner != x.Model
	})
	x.warnOf(" with thresholds.costs", func(key, section string) bool {
		return x.Thresholds.Costs != "" && section == "thresholds" && key != "thresholds.costs"
	})
}

func (x *onModel) warnOf(what string, isIdle func(key, section string) bool) {
	for _, key := range slices.Sorted(maps.Keys(x.Origins)) {
		section, _, _ := strings.Cut(key, ".")
		if x.Origins[key] == "command line" && isIdle(key, section) {
			x.warn(key + " has no effect" + what)
		}
	}
}

// settingsError adds to an error about the settings what the user can do, where the error does not say it.
func settingsError(s config.Sources, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.Ext(s.File) == ".toml":
		return hint.With(err, "chaff config > "+hint.Word(s.File)+" makes one of the settings in force")
	case errors.Is(err, config.ErrUnknown):
		return hint.With(err, "chaff config --explain lists the settings")
	}
	for _, set := range s.Set {
		if name := hint.Nearest(set.Value, models.Names()); set.Key == "model" && name != "" && name != set.Value {
			return hint.With(err, "did you mean --model "+name+"?")
		}
	}
	return err
}

// collectOptions returns how messages are read and divided. The key is public, on which no figure depends: a model that is saved has another.
func collectOptions(c config.Config) train.CollectOptions {
	reading := filter.Reading{Message: c.Message, Tokenize: c.Tokenize}
	memory, _ := config.ParseSize(c.Memory) // c is valid
	return train.CollectOptions{
		ReadOptions: train.ReadOptions{Reading: reading, Workers: c.Workers, Memory: memory}, Features: c.Features, Split: c.Split, Seed: c.Seed,
	}
}

func configCommand(p *program) *cobra.Command {
	var x onModel
	var explain bool
	c := &cobra.Command{
		Use:   "config [WORD...]",
		Short: "Show the settings in force, and what can be set",
		Long: `Config prints all settings as a TOML file, with the origin of each: default,
file, environment or command line. Later origins win. The output is a
configuration file. With a WORD it has only the settings whose keys have it.`,
		Example: `  chaff config
  chaff config smoothing --explain
  chaff config --explain | less
  chaff config > chaff.toml`,
		RunE: func(c *cobra.Command, words []string) error {
			values := slices.DeleteFunc(x.Describe(), func(v config.Value) bool {
				return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(v.Key, strings.ToLower(word)) })
			})
			if len(values) == 0 {
				return hint.With(fmt.Errorf("no key of a setting has %s", strings.Join(words, " or ")), "chaff config prints all")
			}
			if len(words) > 0 {
				x.Tune.Search = nil // tables, not keys
			}
			if p.asJSON {
				return screen.PrintJSON(p.stdout, values, "  ")
			}
			text := ""
			if x.File != "" {
				text = fmt.Sprintf("# file: %s\n", screen.Printable(x.File))
			}
			text += config.TOML(values, func(v config.Value, line string) string {
				if !explain {
					return fmt.Sprintf("%-40s # %s", line, v.Origin)
				}
				return "\n" + config.Comment(v.Text) + config.Comment("Now from: "+v.Origin+". In the environment: "+v.Variable) + line
			})
			for _, entry := range x.Tune.Search { // tables of their own, below the section that is last
				text += "\n" + entry.TOML()
			}
			_, err := screen.Lines{To: p.stdout}.Write([]byte(text))
			return err
		},
	}
	x.add(p, c, "", "print the settings as JSON")
	c.Flags().BoolVar(&explain, "explain", false, "describe each setting")
	return c
}
