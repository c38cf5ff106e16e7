#!/usr/bin/env bash
# Builds everything that a release of chaff consists of, in the root of a clone:
#
#	internal/release/release.sh 1.0.0 dist
#
# The new folder dist gets packages for Debian and Red Hat (amd64, arm64), an archive and a bill of materials (CycloneDX) for each system, and SHA256SUMS.
# More words name the systems to build for, such as linux/amd64. The same commit gives the same bytes with the same version of Go, on any machine: times are
# that of the commit, and no path, host or user is part of a file. It needs Go, git, GNU tar, gzip, jq and sha256sum.
set -euo pipefail
umask 022
export LC_ALL=C

# Go downloads and builds the tools. They are not in go.mod, since no program links them. Version 2.48.0 of nfpm needs go.digitalxero.dev/rpm, which
# proxy.golang.org refuses to serve.
nfpm=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0
cyclonedx=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0

version=${1-} dist=${2-dist}
systems=("${@:3}")
[ ${#systems[@]} -gt 0 ] || systems=({linux,darwin,freebsd}/{amd64,arm64} windows/amd64)
if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.]+)?$ ]]; then
	echo "release: \"$version\" is no version such as 1.0.0 or 1.0.0-rc.1" >&2
	exit 1
fi
mkdir "$dist"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A clone that belongs to another user is read as well, since nothing of it is run.
git() { command git -c safe.directory='*' "$@"; }
commit=$(git describe --always --exclude='*' --abbrev=12 --dirty=-modified) # -modified: the files are not those of the commit
time=$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)

# build SYSTEM FOLDER builds the programs. The variables that change what Go builds have their defaults.
build() {
	GOOS=${1%/*} GOARCH=${1#*/} CGO_ENABLED=0 GOFLAGS= GOEXPERIMENT= GOAMD64=v1 GOARM64=v8.0 GOFIPS140=off GOWORK=off \
		go build -trimpath -buildvcs=false -o "$2/" \
		-ldflags="-s -w -buildid= '-X=chaff/cmd/internal/delivery.released=$version, commit $commit of ${time%T*}'" \
		./cmd/chaff ./cmd/chaff-classify ./cmd/chaff-learn
}

# What is the same for all systems. The programs of this machine write some of it, without the settings of the user.
build "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" "$work/programs"
chaff() { env -i HOME="$work" "$work/programs/chaff" "$@"; }
shared=$work/shared
git ls-files ':(glob)*.md' 'docs/*.md' LICENSE | git checkout-index --prefix="$shared/" --stdin
mkdir "$shared/completion"
for shell in bash zsh fish; do
	chaff completion "$shell" >"$shared/completion/chaff.$shell"
done
chaff help --man "$shared/man" >/dev/null
# In the example of a configuration each setting is a comment, so that a later version brings its own defaults. The names of sections are none: a
# setting that becomes one belongs to its section.
{
	echo '# Settings of chaff serve. Remove the # before a setting to change it, then systemctl restart chaff.'
	chaff config --explain | sed '/^# Now from: /d; s/^[a-z]/#&/'
} >"$shared/config.toml"

for system in "${systems[@]}"; do
	os=${system%/*} arch=${system#*/}
	name=chaff-$version-$os-$arch
	tree=$work/$name
	cp -R "$shared" "$tree"
	build "$system" "$tree"
	if [ "$os" = linux ]; then
		mkdir -p "$tree/cmd/chaff"
		cp -R cmd/chaff/systemd "$tree/cmd/chaff/" # where docs/serving.md copies the units from
	fi
	tar -C "$work" --sort=name --mtime="$time" --owner=root:0 --group=root:0 --mode=u=rwX,go=rX --format=ustar -c "$name" | gzip -9n >"$dist/$name.tar.gz"
	# What differs from run to run is left out: the time, and the hashes of the tool, which was built on this machine.
	program=$tree/chaff
	[ "$os" != windows ] || program=$tree/chaff.exe
	go run "$cyclonedx" bin -json -noserial -std -version "v$version" "$program" | jq -S 'del(.metadata.timestamp, .metadata.tools)' >"$dist/$name.cdx.json"
	if [ "$os" = linux ]; then
		sed "s|\${VERSION}|$version|; s|\${ARCH}|$arch|; s|\${TREE}|$tree|; s|\${TIME}|$time|" internal/release/nfpm.yaml >"$work/$name.yaml"
		for kind in deb rpm; do
			go run "$nfpm" package --config "$work/$name.yaml" --packager "$kind" --target "$dist" >/dev/null
		done
	fi
done
sums=$(cd "$dist" && sha256sum -- *)
echo "$sums" >"$dist/SHA256SUMS"
