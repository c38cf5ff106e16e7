package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize returns the number of bytes of a size such as "300MB", "1.5GB" or "4096". The units kB, MB, GB and TB are powers
// of 1,000, in any case and with or without the B.
func ParseSize(text string) (int64, error) {
	number, factor := strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(text)), "B"), 1.0
	for i, unit := range []string{"K", "M", "G", "T"} {
		if before, found := strings.CutSuffix(number, unit); found {
			number, factor = before, math.Pow10(3*(i+1))
		}
	}
	size, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(size >= 0 && size*factor < math.MaxInt64) {
		return 0, fmt.Errorf("%q: must be a size like 300MB or 2GB, or 0", text)
	}
	return int64(size * factor), nil
}
