#!/bin/sh
# An array of tasks that each read a shard of the mail. All nodes see the same paths.
#
#   export PARTS=/shared/parts CHAFF_KEY_FILE=/shared/chaff.key
#   sbatch --parsable --array=0-15 slurm-collect.sh --ham /shared/ham --spam /shared/spam
#
#SBATCH --job-name=chaff-collect
#SBATCH --cpus-per-task=1
#SBATCH --requeue
set -eu
exec chaff collect -q "$@" --workers 1 -m "$PARTS/$SLURM_ARRAY_TASK_ID.part" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
