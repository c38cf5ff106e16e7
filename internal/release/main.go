// Release builds everything that a release of chaff consists of:
//
//	go run ./internal/release -version 1.0.0 -o dist
//
// The folder dist gets packages for Debian and Red Hat (amd64, arm64), an archive and a bill of materials (CycloneDX) for each system,
// and SHA256SUMS. Run it in the root of a clone, on Unix. The same commit gives the same bytes with the same version of Go, on any
// machine: times are that of the commit, and no path, host or user is part of a file.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// The tools, which Go downloads and builds. They are not in go.mod, since no program links them. Version 2.48.0 of nfpm needs
// go.digitalxero.dev/rpm, which proxy.golang.org refuses to serve.
const (
	nfpm      = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0"
	cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0"
)

// systems are what releases are built for: GOOS/GOARCH.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "freebsd/amd64", "freebsd/arm64", "windows/amd64"}

// release is one release in the making.
type release struct {
	version string
	commit  string // 12 hexadecimal digits, and "-modified" if the files are not those of the commit
	time    time.Time
	dist    string // the folder to fill
	work    string // a temporary folder
}

func main() {
	version := flag.String("version", "", "the `VERSION`, such as 1.0.0")
	dist := flag.String("o", "dist", "the `FOLDER` to make")
	only := flag.String("only", strings.Join(systems, ","), "build for these `SYSTEMS` only")
	flag.Parse()
	if err := run(*version, *dist, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(version, dist string, wanted []string) error {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(version) {
		return fmt.Errorf("-version %q is no version such as 1.0.0 or 1.0.0-rc.1", version)
	}
	if err := os.Mkdir(dist, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	commit, err := git("describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=-modified")
	if err != nil {
		return err
	}
	committed, err := git("log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	when, err := time.Parse(time.RFC3339, committed)
	if err != nil {
		return err
	}
	r := release{version, commit, when.UTC(), dist, work}
	shared := filepath.Join(work, "shared")
	if err := r.writeShared(shared); err != nil {
		return err
	}
	for _, system := range wanted {
		if err := r.system(system, shared); err != nil {
			return fmt.Errorf("%s: %w", system, err)
		}
	}
	return writeSums(dist)
}

// git returns what git prints. A clone that belongs to another user is read as well, since nothing of it is run.
func git(args ...string) (string, error) {
	out, err := output(nil, "git", append([]string{"-c", "safe.directory=*"}, args...)...)
	return strings.TrimSpace(out), err
}

// output runs a command with more variables in its environment, and returns what it prints.
func output(environment []string, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), environment...)
	var out, faults bytes.Buffer
	c.Stdout, c.Stderr = &out, &faults
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(c.Args, " "), err, out.String(), faults.String())
	}
	return out.String(), nil
}

// build builds the programs of a system in a folder. The variables that change what Go builds have their defaults.
func (r *release) build(system, folder string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	environment := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOWORK=off"}
	about := r.version + ", commit " + r.commit + " of " + r.time.Format(time.DateOnly)
	_, err := output(environment, "go", "build", "-trimpath", "-buildvcs=false", "-o", folder+string(filepath.Separator),
		"-ldflags=-s -w -buildid= '-X=chaff/cmd/internal/delivery.released="+about+"'", "./cmd/chaff", "./cmd/chaff-classify", "./cmd/chaff-learn")
	return err
}

// writeShared writes the files that are the same for all systems. The programs of this machine write some of them.
func (r *release) writeShared(folder string) error {
	programs := filepath.Join(r.work, "programs")
	if err := r.build(runtime.GOOS+"/"+runtime.GOARCH, programs); err != nil {
		return err
	}
	chaff := func(args ...string) (string, error) { // without the settings of the user
		return output(nil, "env", append([]string{"-i", "HOME=" + r.work, filepath.Join(programs, "chaff")}, args...)...)
	}
	listed, err := git("ls-files", ":(glob)*.md", "docs/*.md", "LICENSE")
	if err != nil {
		return err
	}
	if _, err := git(append([]string{"checkout-index", "--prefix=" + folder + "/", "--"}, strings.Fields(listed)...)...); err != nil {
		return err
	}
	if _, err := chaff("help", "--man", filepath.Join(folder, "man")); err != nil {
		return err
	}
	settings, err := chaff("config", "--explain")
	if err != nil {
		return err
	}
	texts := map[string]string{"config.toml": example(settings)}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if texts["completion/chaff."+shell], err = chaff("completion", shell); err != nil {
			return err
		}
	}
	for name, text := range texts {
		file := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// example returns a configuration file in which each setting is a comment, so that a later version brings its own defaults. It is made of
// what chaff config --explain prints. The names of sections are no comments: a setting that becomes one belongs to its section.
func example(explained string) string {
	const head = "# Settings of chaff serve. Remove the # before a setting to change it, then systemctl restart chaff.\n"
	origins, settings := regexp.MustCompile(`(?m)^# Now from: .*\n`), regexp.MustCompile(`(?m)^[a-z]`)
	return head + settings.ReplaceAllString(origins.ReplaceAllString(explained, ""), "#$0")
}

// system builds what a release has for one system.
func (r *release) system(system, shared string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	name := fmt.Sprintf("chaff-%s-%s-%s", r.version, goos, goarch)
	tree := filepath.Join(r.work, name)
	if err := os.CopyFS(tree, os.DirFS(shared)); err != nil {
		return err
	}
	if err := r.build(system, tree); err != nil {
		return err
	}
	if err := writeLicences(system, filepath.Join(tree, "licences.txt")); err != nil {
		return err
	}
	if goos == "linux" {
		const units = "cmd/chaff/systemd" // where docs/serving.md copies them from
		if err := os.CopyFS(filepath.Join(tree, units), os.DirFS(units)); err != nil {
			return err
		}
	}
	file, err := os.Create(filepath.Join(r.dist, name+".tar.gz"))
	if err != nil {
		return err
	}
	if err := errors.Join(writeArchive(file, os.DirFS(tree), name, r.time), file.Close()); err != nil {
		return err
	}
	program := filepath.Join(tree, map[bool]string{false: "chaff", true: "chaff.exe"}[goos == "windows"])
	if err := r.writeMaterials(program, filepath.Join(r.dist, name+".cdx.json")); err != nil || goos != "linux" {
		return err
	}
	settings, err := os.ReadFile("internal/release/nfpm.yaml")
	if err != nil {
		return err
	}
	filled := os.Expand(string(settings), func(name string) string {
		return map[string]string{"VERSION": r.version, "ARCH": goarch, "TREE": tree, "TIME": r.time.Format(time.RFC3339)}[name]
	})
	config := filepath.Join(r.work, name+".yaml")
	if err := os.WriteFile(config, []byte(filled), 0o644); err != nil {
		return err
	}
	for _, kind := range []string{"deb", "rpm"} {
		if _, err := output(nil, "go", "run", nfpm, "package", "--config", config, "--packager", kind, "--target", r.dist); err != nil {
			return err
		}
	}
	return nil
}

// writeLicences writes the licences of all that the programs of a system hold besides chaff: Go, its modules, and the rules of internal/publicsuffix.
func writeLicences(system, file string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	const each = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
	modules, err := output([]string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}, "go", "list", "-deps", "-f", each, "./cmd/...")
	if err != nil {
		return err
	}
	root, err := output(nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	isLicence := regexp.MustCompile(`(?i)^(third_party_)?(licen[cs]e|copying|notice|patents)`)
	parts := []string{"Go\t" + root, "internal/publicsuffix\tinternal/publicsuffix"}
	for _, source := range slices.Compact(append(parts, slices.Sorted(strings.Lines(modules))...)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(source), "\t")
		before := text.Len()
		err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
			top, _, _ := strings.Cut(path, "/")
			switch {
			case err != nil || path == ".":
				return err
			case entry.IsDir() && !isLicence.MatchString(top):
				return fs.SkipDir
			case entry.IsDir() || !isLicence.MatchString(top):
				return nil
			}
			data, err := os.ReadFile(filepath.Join(folder, path))
			fmt.Fprintf(&text, "\n==== %s: %s\n\n%s", name, path, data)
			return err
		})
		if err != nil {
			return err
		}
		if text.Len() == before {
			return fmt.Errorf("%s has no licence in %s", name, folder)
		}
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// writeArchive writes the files of tree below a folder into a compressed tar archive. Its bytes depend on the names, contents and
// executable bits of the files: entries are sorted by name, belong to root, and have one time.
func writeArchive(w io.Writer, tree fs.FS, folder string, when time.Time) error {
	zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zipped)
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(folder, name), Mode: 0o644, Uname: "root", Gname: "root", ModTime: when}
		if info.Mode()&0o100 != 0 {
			header.Mode = 0o755
		}
		if entry.IsDir() {
			header.Typeflag, header.Mode = tar.TypeDir, 0o755
			header.Name += "/"
			return archive.WriteHeader(header)
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		header.Size = int64(len(data))
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(data)
		return err
	})
	return errors.Join(err, archive.Close(), zipped.Close())
}

// writeMaterials lists the modules that a program links. What differs from run to run is left out: the time, and the hashes of the tool,
// which was built on this machine.
func (r *release) writeMaterials(program, file string) error {
	text, err := output(nil, "go", "run", cyclonedx, "bin", "-json", "-noserial", "-std", "-version", "v"+r.version, program)
	if err != nil {
		return err
	}
	var list map[string]any
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return fmt.Errorf("read the list of %s: %w", cyclonedx, err)
	}
	metadata, _ := list["metadata"].(map[string]any)
	delete(metadata, "timestamp")
	delete(metadata, "tools")
	out, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(out, '\n'), 0o644)
}

// writeSums writes SHA256SUMS, for sha256sum --check.
func writeSums(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), file.Name())
	}
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
