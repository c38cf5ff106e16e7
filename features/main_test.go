package features

import (
	"testing"

	"chaff/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
