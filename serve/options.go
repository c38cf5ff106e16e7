package serve

import (
	"log/slog"
	"path/filepath"

	"chaff/internal/fieldtags"
	"chaff/store"
)

// Options configure an engine.
type Options struct {
	// Model is the path of the model file.
	Model string `json:"-"`
	// Store are the options of stores, and Retrain those of fitting models again.
	Store   store.Options        `json:"-"`
	Retrain store.RetrainOptions `json:"-"`
	// Events takes what happens to each message; nil is nobody.
	Events *slog.Logger `json:"-"`
	// Workers is how many messages are judged at a time; 0 is one for each core.
	Workers int `json:"-"`

	Limits

	// Users is a folder, which must exist, with a model for each user; "" is one model for all. Default "".
	Users string `json:"users"`
	// Confine denies the daemon, after its start, all files but those of the models and its sockets, new connections, and further rights, as far as
	// the kernel can (Landlock, Linux 5.13). Default true.
	Confine bool `json:"confine" default:"true"`
	// TellOverTCP lets clients of the spamd protocol teach the model over TCP, where any user of the machine may connect, and not
	// only over Unix sockets. Default false.
	TellOverTCP bool `json:"tell_over_tcp"`
	// MilterQuarantine is the probability of spam from which the milter has the mail server keep a message instead of delivering it,
	// such as 0.99; 0 is never. From 0 to 1. Default 0.
	MilterQuarantine float64 `json:"milter_quarantine" range:"from 0 to 1"`
	// MilterReject is the probability of spam from which the milter rejects a message, such as 0.999; 0 is never. From 0 to 1. Default 0.
	MilterReject float64 `json:"milter_reject" range:"from 0 to 1"`
	// LMTPBackend is where chaff serve --lmtp passes mail on: unix:PATH or HOST:PORT of the delivery agent, with smtp: before
	// it if the program there speaks SMTP. Default "".
	LMTPBackend string `json:"lmtp_backend"`
	// Log is how chaff serve writes its log: text, json, or warnings alone. Text and json have a line for each message that was
	// judged or learned and for each wrong token, up to 1000 of a kind in a second. Under systemd, text has fields of its journal. One of "text",
	// "json", "warnings". Default "text".
	Log string `json:"log" range:"text, json or warnings" default:"text"`
	// History is how many verdicts the console shows; 0 is none. A start begins with those of kept messages. From 0 to 1000000. Default
	// 10000.
	History int `json:"history" range:"from 0 to 1000000" default:"10000"`
	// HistoryDays is for how many days verdicts and kept messages stay. From 1 to 36500. Default 30.
	HistoryDays int `json:"history_days" range:"from 1 to 36500" default:"30"`
	// HistorySubjects keeps the subject and the sender in the history and in the log. Default false.
	HistorySubjects bool `json:"history_subjects"`
	// KeepHistory is how many of the messages of the history are kept, up to 1 MiB each, in a folder beside the model that only its
	// owner can read, so that the console can show and teach them; 0 is none. From 0 to 10000. Default 0.
	KeepHistory int `json:"keep_history" range:"from 0 to 10000"`
	// KeepUnsure is how many unsure messages are kept in the same way, if that is more than keep_history. From 0 to 10000. Default 0.
	KeepUnsure int `json:"keep_unsure" range:"from 0 to 10000"`
	// HTTPHosts are the names by which clients reach the HTTP server, besides localhost and addresses; requests for
	// other names are refused. Default [].
	HTTPHosts []string `json:"http_hosts" default:""`
}

// Limits are what bounds a daemon.
type Limits struct {
	// MaxUsers is how many users may have a model, about 6 MB each; others cannot teach. At least 1. Default 1000.
	MaxUsers int `json:"max_users" range:"at least 1" default:"1000"`
	// MaxMessage is the size in bytes of the largest message that is judged; larger ones pass unjudged. From 1 to
	// 37748736. Default 37748736.
	MaxMessage int `json:"max_message" range:"from 1 to 37748736" default:"37748736"`
	// MaxSeconds is how long a message waits for its verdict; then it passes unjudged. From 0.01 to 600. Default 20.
	MaxSeconds float64 `json:"max_seconds" range:"from 0.01 to 600" default:"20"`
	// Connections is how many clients may be connected at a time to each address or socket where the daemon listens. At least 1. Default 2000.
	Connections int `json:"connections" range:"at least 1" default:"2000"`
	// Queue is how many messages wait for their verdict at most, and how many to be learned; more are refused at once.
	// From 1 to 1000000. Default 1000.
	Queue int `json:"queue" range:"from 1 to 1000000" default:"1000"`
	// Memory is how many bytes of messages all clients may have in transit; more are refused at once. At least 37748736.
	// Default 268435456.
	Memory int `json:"memory" range:"at least 37748736" default:"268435456"`
}

// The values of Options.Log.
const (
	LogText     = "text"
	LogJSON     = "json"
	LogWarnings = "warnings"
)

// DefaultOptions returns the default options.
func DefaultOptions() Options { return fieldtags.Default[Options]() }

// Folders returns the folders where an engine reads and writes files: that of the model, with its log and the kept messages, and that of
// users. The first one is that of the model.
func (o Options) Folders() []string {
	all := []string{filepath.Dir(o.Model)}
	if target, err := filepath.EvalSymlinks(o.Model); err == nil && filepath.Dir(target) != all[0] { // the log is beside the file
		all = append(all, filepath.Dir(target))
	}
	if o.Users != "" {
		all = append(all, o.Users)
	}
	return all
}
