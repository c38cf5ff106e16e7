package filter

import (
	"encoding/json"
	"fmt"
	"slices"

	"chaff/metrics"
)

// Unlike notices messages that are unlike those that a model learned, see [metrics.Unlike].
type Unlike struct {
	metrics.Unlike
	classes []string
	usual   []metrics.Usual // by the class given; none if it is not known
}

// NewUnlike returns what notices messages that are unlike those that f learned. What is usual is the member `usual` of its provenance. The error
// is about the file that f was opened from.
func (h *head) NewUnlike() (*Unlike, error) {
	u := &Unlike{classes: h.settings.Classes}
	data, err := h.member("usual")
	if err == nil && data != nil {
		if err = json.Unmarshal(data, &u.usual); err != nil {
			err = fmt.Errorf("%w: provenance: %w", ErrVersion, err)
		}
	}
	return u, err
}

// Add adds a message, and reports whether this message alone is unlike the others.
func (u *Unlike) Add(c Classification) bool {
	class := slices.Index(u.classes, c.Class)
	if class < 0 || class >= len(u.usual) {
		return false
	}
	u.Unlike.Add(c.Novelty, u.usual[class])
	return u.usual[class].IsUnlike(c.Novelty)
}
