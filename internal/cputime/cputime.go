// Package cputime measures the CPU time of the process.
package cputime
