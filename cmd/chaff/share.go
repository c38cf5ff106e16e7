package main

import (
	"github.com/spf13/cobra"

	"chaff/share"
)

func shareCommand(p *program) *cobra.Command {
	var x onModel
	c := &cobra.Command{
		Use:   "share [-m FILE] --nats URL,...",
		Short: "Teach the filters of other hosts, and learn from them",
		Long: `Share connects the model of this host with those of others by NATS JetStream:
what users teach one of them, all learn. It runs beside chaff serve, or whatever
else learns and judges; nothing else waits for it or for the network, and what
is taught meanwhile is shared later.

One host has share.fit=true: it fits the model for all, and the others take over
its model and its log. A host without a model gets them from there.

A host has a name of at most 8 letters, share.host, by which chaff learn
--forget --origin NAME takes out what was taught there. chaff status shows what
was shared. Servers that are not this machine are reached by TLS only, since
records have the words of mail. docs/scale.md has a worked example.`,
		Example: `  chaff share --nats nats://localhost:4222 --set share.fit=true
  chaff share -m spam.model --nats tls://a.example.org,tls://b.example.org`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			m := share.Model{Path: x.model, Store: x.Store, Retrain: retrainOptions(x.Config)}
			return share.Run(c.Context(), m, x.Share, p.warn)
		},
	}
	x.add(p, c, "share", "", "nats", "workers", "memory")
	return c
}
