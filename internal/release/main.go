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

// failure is an error that ends the release: all functions below panic with one, and [run] returns it.
type failure struct{ error }

func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// of returns a value that came without an error.
func of[T any](value T, err error) T {
	must(err)
	return value
}

func run(version, dist string, wanted []string) (err error) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(version) {
		return fmt.Errorf("-version %q is no version such as 1.0.0 or 1.0.0-rc.1", version)
	}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = f.error
		default:
			panic(f)
		}
	}()
	must(os.Mkdir(dist, 0o755))
	work := of(os.MkdirTemp("", "release"))
	defer os.RemoveAll(work)
	commit := git("describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=-modified")
	when := of(time.Parse(time.RFC3339, git("log", "-1", "--format=%cI")))
	r := release{version, commit, when.UTC(), dist, work}
	shared := filepath.Join(work, "shared")
	r.writeShared(shared)
	for _, system := range wanted {
		r.system(system, shared)
	}
	writeSums(dist)
	return nil
}

// git returns what git prints. A clone that belongs to another user is read as well, since nothing of it is run.
func git(args ...string) string {
	return strings.TrimSpace(output(nil, "git", append([]string{"-c", "safe.directory=*"}, args...)...))
}

// output runs a command with more variables in its environment, and returns what it prints.
func output(environment []string, name string, args ...string) string {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), environment...)
	var out, faults bytes.Buffer
	c.Stdout, c.Stderr = &out, &faults
	if err := c.Run(); err != nil {
		must(fmt.Errorf("%s %s: %w\n%s%s", strings.Join(environment, " "), strings.Join(c.Args, " "), err, out.String(), faults.String()))
	}
	return out.String()
}

// build builds the programs of a system in a folder. The variables that change what Go builds have their defaults.
func (r *release) build(system, folder string) {
	goos, goarch, _ := strings.Cut(system, "/")
	environment := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOWORK=off"}
	about := r.version + ", commit " + r.commit + " of " + r.time.Format(time.DateOnly)
	output(environment, "go", "build", "-trimpath", "-buildvcs=false", "-o", folder+string(filepath.Separator),
		"-ldflags=-s -w -buildid= '-X=chaff/cmd/internal/delivery.released="+about+"'", "./cmd/chaff", "./cmd/chaff-classify", "./cmd/chaff-learn")
}

// writeShared writes the files that are the same for all systems. The programs of this machine write some of them.
func (r *release) writeShared(folder string) {
	programs := filepath.Join(r.work, "programs")
	r.build(runtime.GOOS+"/"+runtime.GOARCH, programs)
	chaff := func(args ...string) string { // without the settings of the user
		return output(nil, "env", append([]string{"-i", "HOME=" + r.work, filepath.Join(programs, "chaff")}, args...)...)
	}
	listed := git("ls-files", ":(glob)*.md", "docs/*.md", "LICENSE")
	git(append([]string{"checkout-index", "--prefix=" + folder + "/", "--"}, strings.Fields(listed)...)...)
	chaff("help", "--man", filepath.Join(folder, "man"))
	texts := map[string]string{"config.toml": example(chaff("config", "--explain"))}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		texts["completion/chaff."+shell] = chaff("completion", shell)
	}
	for name, text := range texts {
		file := filepath.Join(folder, name)
		must(os.MkdirAll(filepath.Dir(file), 0o755))
		must(os.WriteFile(file, []byte(text), 0o644))
	}
}

// example returns a configuration file in which each setting is a comment, so that a later version brings its own defaults. It is made of
// what chaff config --explain prints. The names of sections are no comments: a setting that becomes one belongs to its section.
func example(explained string) string {
	const head = "# Settings of chaff serve. Remove the # before a setting to change it, then systemctl restart chaff.\n"
	origins, settings := regexp.MustCompile(`(?m)^# Now from: .*\n`), regexp.MustCompile(`(?m)^[a-z]`)
	return head + settings.ReplaceAllString(origins.ReplaceAllString(explained, ""), "#$0")
}

// system builds what a release has for one system.
func (r *release) system(system, shared string) {
	goos, goarch, _ := strings.Cut(system, "/")
	name := fmt.Sprintf("chaff-%s-%s-%s", r.version, goos, goarch)
	tree := filepath.Join(r.work, name)
	must(os.CopyFS(tree, os.DirFS(shared)))
	r.build(system, tree)
	writeLicences(system, filepath.Join(tree, "licences.txt"))
	if goos == "linux" {
		const units = "cmd/chaff/systemd" // where docs/serving.md copies them from
		must(os.CopyFS(filepath.Join(tree, units), os.DirFS(units)))
	}
	file := of(os.Create(filepath.Join(r.dist, name+".tar.gz")))
	writeArchive(file, os.DirFS(tree), name, r.time)
	must(file.Close())
	program := filepath.Join(tree, map[bool]string{false: "chaff", true: "chaff.exe"}[goos == "windows"])
	r.writeMaterials(program, filepath.Join(r.dist, name+".cdx.json"))
	if goos != "linux" {
		return
	}
	settings := of(os.ReadFile("internal/release/nfpm.yaml"))
	filled := os.Expand(string(settings), func(name string) string {
		return map[string]string{"VERSION": r.version, "ARCH": goarch, "TREE": tree, "TIME": r.time.Format(time.RFC3339)}[name]
	})
	config := filepath.Join(r.work, name+".yaml")
	must(os.WriteFile(config, []byte(filled), 0o644))
	for _, kind := range []string{"deb", "rpm"} {
		output(nil, "go", "run", nfpm, "package", "--config", config, "--packager", kind, "--target", r.dist)
	}
}

// writeLicences writes the licences of all that the programs of a system hold besides chaff: Go, its modules, and the rules of internal/publicsuffix.
func writeLicences(system, file string) {
	goos, goarch, _ := strings.Cut(system, "/")
	const each = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
	modules := output([]string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}, "go", "list", "-deps", "-f", each, "./cmd/...")
	var text bytes.Buffer
	isLicence := regexp.MustCompile(`(?i)^(third_party_)?(licen[cs]e|copying|notice|patents)`)
	parts := []string{"Go\t" + output(nil, "go", "env", "GOROOT"), "internal/publicsuffix\tinternal/publicsuffix"}
	for _, source := range slices.Compact(append(parts, slices.Sorted(strings.Lines(modules))...)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(source), "\t")
		before := text.Len()
		must(fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
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
		}))
		if text.Len() == before {
			must(fmt.Errorf("%s has no licence in %s", name, folder))
		}
	}
	must(os.WriteFile(file, text.Bytes(), 0o644))
}

// writeArchive writes the files of tree below a folder into a compressed tar archive. Its bytes depend on the names, contents and
// executable bits of the files: entries are sorted by name, belong to root, and have one time.
func writeArchive(w io.Writer, tree fs.FS, folder string, when time.Time) {
	zipped := of(gzip.NewWriterLevel(w, gzip.BestCompression))
	archive := tar.NewWriter(zipped)
	must(fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		must(err)
		info := of(entry.Info())
		header := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(folder, name), Mode: 0o644, Uname: "root", Gname: "root", ModTime: when}
		if info.Mode()&0o100 != 0 {
			header.Mode = 0o755
		}
		if entry.IsDir() {
			header.Typeflag, header.Mode = tar.TypeDir, 0o755
			header.Name += "/"
			return archive.WriteHeader(header)
		}
		data := of(fs.ReadFile(tree, name))
		header.Size = int64(len(data))
		must(archive.WriteHeader(header))
		_, err = archive.Write(data)
		return err
	}))
	must(archive.Close())
	must(zipped.Close())
}

// writeMaterials lists the modules that a program links. What differs from run to run is left out: the time, and the hashes of the tool,
// which was built on this machine.
func (r *release) writeMaterials(program, file string) {
	text := output(nil, "go", "run", cyclonedx, "bin", "-json", "-noserial", "-std", "-version", "v"+r.version, program)
	var list map[string]any
	must(json.Unmarshal([]byte(text), &list))
	metadata, _ := list["metadata"].(map[string]any)
	delete(metadata, "timestamp")
	delete(metadata, "tools")
	must(os.WriteFile(file, append(of(json.MarshalIndent(list, "", "  ")), '\n'), 0o644))
}

// writeSums writes SHA256SUMS, for sha256sum --check.
func writeSums(folder string) {
	var sums strings.Builder
	for _, file := range of(os.ReadDir(folder)) {
		data := of(os.ReadFile(filepath.Join(folder, file.Name())))
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), file.Name())
	}
	must(os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(sums.String()), 0o644))
}
