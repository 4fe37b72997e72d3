#!/bin/sh
# A study as an array of Slurm jobs. Submit from the folder of the study, into folders that all nodes see:
#
#   sbatch --array=0-7 slurm.sh study.toml results 8
#
# Shard 3 alone, after its job was killed or timed out:  sbatch --array=3 slurm.sh study.toml results 8
# All shards as one:  murmuration sweep --merge results/shard-* --out results/all
#SBATCH --job-name=sweep
#SBATCH --cpus-per-task=1
#SBATCH --signal=B:TERM@60
set -eu
spec=$1 results=$2 shards=$3
# Slurm's warning, a minute before the time is up, reaches this shell; the program then keeps what is done.
murmuration sweep "$spec" --out "$results/shard-$SLURM_ARRAY_TASK_ID" --shards "$shards" \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" --engine cpu --resume --quiet &
trap 'kill -TERM $!' TERM
wait $! || wait $!
