package share

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"chaff/internal/replace"
	"chaff/store"
)

// fitted is what the key of the fits has: which model and which log are the last ones, by their SHA-256, and how far that log has followed the stream.
type fitted struct {
	Stream   int64  `json:"stream"`
	Position uint64 `json:"position"`
	Host     string `json:"host"`
	Model    string `json:"model"`
	Log      string `json:"log"`

	revision uint64
	at       time.Time // when it was named
}

const fitKey = "fit"

// lastFit returns the last fit of this stream, the zero value for none. It may be one that this host has.
func (h *host) lastFit(ctx context.Context) (f fitted, err error) {
	entry, err := h.fits.Get(ctx, fitKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if json.Unmarshal(entry.Value(), &f) != nil || len(f.Model) != 2*sha256.Size || len(f.Log) != 2*sha256.Size {
		return fitted{}, errors.New("the key of the fits has no fit")
	}
	if f.revision = entry.Revision(); f.Stream != h.made { // of a stream that was lost
		return fitted{revision: f.revision}, nil
	}
	f.at = entry.Created().UTC()
	h.note(func(s *store.Sharing) { s.Fitter, s.Fitted = f.Host, &f.at })
	return f, nil
}

// adopt fetches a fit and puts it in the place of the model here.
func (h *host) adopt(ctx context.Context, f fitted) error {
	at := h.Path + ".share.new"
	defer os.Remove(at)
	defer os.Remove(at + store.Suffix)
	for digest, path := range map[string]string{f.Model: at, f.Log: at + store.Suffix} {
		if err := h.fetch(ctx, digest, path); err != nil {
			return fmt.Errorf("fetch the fit of %s: %w", f.Host, err)
		}
	}
	err := store.Adopt(ctx, h.Path, at, h.name)
	if errors.Is(err, store.ErrOtherMail) || errors.Is(err, store.ErrDiffers) {
		return fatal{fmt.Errorf("%w: move the model and its log away, and share fetches the shared ones", err)}
	}
	return err
}

// fetch saves the object with a digest.
func (h *host) fetch(ctx context.Context, digest, path string) (err error) {
	for range 10 { // a server may not have yet what another one has
		if err = h.fetchOnce(ctx, digest, path); err == nil || !sleep(ctx, retry/2) {
			return err
		}
	}
	return err
}

func (h *host) fetchOnce(ctx context.Context, digest, path string) error {
	object, err := h.objects.Get(ctx, digest)
	if err != nil {
		return err
	}
	defer object.Close()
	os.Remove(path) // of a process that was killed
	return replace.Written(path, replace.Kind{Name: "fit"}, 0o600, func(file *os.File) error {
		sum := sha256.New()
		_, err := io.Copy(io.MultiWriter(file, sum), object)
		if err == nil && hex.EncodeToString(sum.Sum(nil)) != digest {
			err = errors.New("it has another digest")
		}
		return err
	})
}

// fit fits the model when that is due, for all hosts.
func (h *host) fit(ctx context.Context) error {
	for pause := time.Duration(0); sleep(ctx, max(pause, fitsEvery)); {
		last, err := h.lastFit(ctx)
		if err != nil {
			return err
		}
		at, err := h.stand()
		if err != nil {
			return err
		}
		// What the stream has had since counts, and not what the log has learned: another program on this host may fit its model, too.
		since := int(at.Position) - int(last.Position)
		due := h.Store.RetrainAfter > 0 && since >= h.Store.RetrainAfter || since > 0 && time.Since(last.at) > 24*time.Hour
		if last.Model != "" && !due {
			continue
		}
		began := time.Now()
		err = h.fitOnce(ctx, last)
		if pause = max(h.options.Pause, 10*time.Since(began)); errors.Is(err, store.ErrTooFew) {
			h.say(err.Error())
			continue
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// fitOnce fits the model, puts it and its log into the object store, and names them in the key, unless that has changed. All hosts take them from there.
func (h *host) fitOnce(ctx context.Context, last fitted) error {
	out := h.Path + ".share.fit"
	defer os.Remove(out)
	defer os.Remove(out + store.Suffix)
	at, err := store.FitShared(ctx, h.Path, out, h.Store, h.Retrain)
	if err != nil {
		return err
	}
	f := fitted{Stream: at.Stream, Position: at.Position, Host: h.name}
	if f.Stream != h.made || last.Model != "" && f.Position <= last.Position {
		return nil
	}
	if f.Model, err = h.put(ctx, out); err == nil {
		f.Log, err = h.put(ctx, out+store.Suffix)
	}
	if err != nil {
		return err
	}
	value, _ := json.Marshal(f)                                                // no error: it has nothing but numbers and texts
	if _, err = h.fits.Update(ctx, fitKey, value, last.revision); err != nil { // 0 is for a key that is not there
		return fmt.Errorf("name the fit: %w", err)
	}
	return h.clean(ctx, f, last)
}

// put puts a file into the object store under its digest.
func (h *host) put(ctx context.Context, path string) (digest string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err = io.Copy(sum, file); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	digest = hex.EncodeToString(sum.Sum(nil))
	if err == nil {
		_, err = h.objects.Put(ctx, jetstream.ObjectMeta{Name: digest}, file)
	}
	return digest, err
}

// clean removes the objects of all fits but two: somebody may be fetching the one before the last.
func (h *host) clean(ctx context.Context, keep ...fitted) error {
	objects, err := h.objects.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, o := range objects {
		if !slices.ContainsFunc(keep, func(f fitted) bool { return o.Name == f.Model || o.Name == f.Log }) {
			if err := h.objects.Delete(ctx, o.Name); err != nil {
				return err
			}
		}
	}
	return nil
}
