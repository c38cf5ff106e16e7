//go:build unix

package main

import "context"

func trainOnMail(ctx context.Context, folder, memory string, workers int) error { return nil }
