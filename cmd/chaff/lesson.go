package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chaff/evaluate/lesson"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/report"
)

func lessonCommand(p *program) *cobra.Command {
	names := mapped(lesson.All(), func(l lesson.Lesson) string { return l.Name })
	var svg string
	c := &cobra.Command{
		Use:   "lesson [NAME]",
		Short: "Show a formula of the lectures at work, a screen each",
		Long: `Lesson shows what the lectures on linear classifiers say, computed by the
classifiers of this program: on a few points, or on the built-in sample mail.
Without a NAME it lists the lessons in the order of the lectures; --svg draws
the picture of a lesson that has one, such as the feasible region of AND.
docs/lectures.md has the lectures, and where each formula is in the code.`,
		Example: `  chaff lesson
  chaff lesson updates
  chaff lesson logic --svg and.svg`,
		Args:      oneArgument("lesson", 0),
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			all := lesson.All()
			if len(args) == 0 && svg != "" {
				return errors.New("--svg needs a lesson: name it")
			}
			if len(args) == 0 {
				t := &screen.Table{To: p.stdout}
				for _, l := range all {
					t.Row(l.Name, l.Title)
				}
				t.Flush()
				return nil
			}
			i := slices.Index(names, args[0])
			if i < 0 {
				return hint.With(fmt.Errorf("there is no lesson %s: the lessons are %s", args[0], strings.Join(names, ", ")), "chaff lesson lists them with their titles")
			}
			if err := canWrite(nil, replace.Output{Path: svg, Kind: report.SVGKind()}); err != nil {
				return err
			}
			text, picture, err := all[i].Show(c.Context())
			if err != nil {
				return err
			}
			if svg != "" && picture == nil {
				return fmt.Errorf("the lesson %s has no picture", names[i])
			}
			if _, err := (screen.Lines{To: p.stdout}).Write([]byte(text)); err != nil || svg == "" {
				return err
			}
			return p.writeFile(svg, report.SVGKind(), func(w io.Writer) error {
				drawn, err := picture.Plot().SVG()
				if err == nil {
					_, err = w.Write(drawn)
				}
				return err
			})
		},
	}
	c.Flags().StringVar(&svg, "svg", "", "draw the picture of the lesson into `FILE`")
	return c
}
