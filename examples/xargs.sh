#!/bin/sh
# The same on one machine: N shards, one process for each core.
#
#   PARTS=parts CHAFF_KEY_FILE=chaff.key ./xargs.sh 16 spam.model --ham ham --spam spam
#
set -eu
n=$1 model=$2
shift 2
seq 0 "$((n - 1))" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I% chaff collect -q "$@" --workers 1 -m "$PARTS/%.part" --shard "%/$n"
seq 0 "$((n - 1))" | sed "s|.*|$PARTS/&.part|" | chaff merge -q - -o "$model"
