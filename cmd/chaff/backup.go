package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/store"
	"chaff/train"
)

func (p *program) backupCommand() *cobra.Command {
	var model, out string
	c := &cobra.Command{
		Use:   "backup -o FILE",
		Short: "Save all that a model was taught as one file",
		Long: `Backup writes what a model was taught as one file: the log, which has the
settings and the secret key as well. chaff restore makes the model anew from it.
Others may learn meanwhile. The file has the words of your mail, so it is
readable by its owner only.`,
		Example: `  chaff backup -o chaff.backup
  chaff backup -m spam.model -o spam.backup`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if out == "" {
				return errors.New("no file for the backup: name it with -o FILE")
			}
			if err := hasStore(model); err != nil {
				return err
			}
			output := replace.Output{Path: out, Kind: store.LogKind()}
			if err := canWrite([]place{{path: model}, {path: storeOf(model)}}, output); err != nil {
				return err
			}
			n, err := store.Backup(model, out)
			if err != nil {
				return aboutStore(model, err)
			}
			field(p.stdout, "saved", "%s, with %s", out, plural(n, "message"))
			return nil
		},
	}
	p.addModelFile(c, &model, "save")
	c.Flags().StringVarP(&out, "out", "o", "", "write the backup to `FILE`")
	return c
}

func (p *program) restoreCommand() *cobra.Command {
	var settings settingFlags
	var model string
	var asJSON, replacing bool
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a model anew from a backup",
		Long: `Restore makes a model and its log of what chaff backup has saved, or of the log
of a model that is lost. It is the model that chaff retrain makes of the same
messages, byte for byte.`,
		Example: `  chaff restore chaff.backup
  chaff restore spam.model.log -m again.model`,
		Args: func(_ *cobra.Command, paths []string) error {
			if len(paths) != 1 {
				return hint.With(fmt.Errorf("chaff restore takes one file, not %d", len(paths)), "for example: chaff restore chaff.backup")
			}
			return nil
		},
		RunE: func(c *cobra.Command, paths []string) error {
			loaded, err := p.load(&settings)
			if err != nil {
				return err
			}
			p.warnOfModelSettings(loaded)
			if err := canWrite([]place{{path: settings.file}, {path: paths[0]}}, store.Outputs(model)...); err != nil {
				return err
			}
			if err := makeFolder(model); err != nil {
				return err
			}
			saved, err := store.Restore(c.Context(), paths[0], model, retrainOptions(loaded.Config), replacing)
			if errors.Is(err, fs.ErrExist) {
				return hint.With(fmt.Errorf("there is a model %s or its log already", model), "chaff restore --replace replaces them")
			}
			if err != nil {
				return aboutStore(model, err)
			}
			if asJSON {
				return printJSON(p.stdout, restored{model, saved})
			}
			p.printFitted(model, saved, guarantees{})
			return nil
		},
	}
	settings.add(p, c, "workers", "memory")
	p.addModelFile(c, &model, "make")
	c.Flags().BoolVar(&replacing, "replace", false, "replace the model and the log that are there")
	addJSON(c, &asJSON, "print the result as JSON")
	return c
}

// restored is the JSON of restore.
type restored struct {
	File  string         `json:"file"`
	Saved train.Refitted `json:"saved_model"`
}
