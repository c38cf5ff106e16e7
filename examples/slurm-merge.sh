#!/bin/sh
# The model of the parts 0 to N-1, once all of them are there.
#
#   sbatch --dependency=afterok:JOB slurm-merge.sh 16 /shared/spam.model
#
#SBATCH --job-name=chaff-merge
#SBATCH --requeue
set -eu
seq 0 "$(($1 - 1))" | sed "s|.*|$PARTS/&.part|" | chaff merge -q - -o "$2"
