// Package cputime measures the CPU time of the process and of one thread.
package cputime
