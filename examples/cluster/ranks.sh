#!/bin/sh
# One flock on the processes of a Slurm job, by MPI, with a program that was built with `--features mpi`. Submit from a folder
# that all nodes see; the words are the file for the last state, the steps, and the flock:
#
#   sbatch --nodes=4 --ntasks-per-node=2 --cpus-per-task=16 ranks.sh flock.csv 10000 --preset swarm -n 100M --numeric fixed
#
# The same call goes on where a job was killed or timed out, with any number of processes. MPI=pmi2 is for a site whose
# `srun --mpi=list` has no pmix; EVERY is the number of steps between two states that are kept on the way.
#SBATCH --job-name=flock
#SBATCH --signal=TERM@120
set -eu
out=$1 steps=$2 stem=${1%.csv} first=0
shift 2
# The last state of an earlier job is FILE.STEP.csv.
for file in "$stem".*.csv; do
    step=${file#"$stem".} step=${step%.csv}
    case $step in '' | *[!0-9]*) continue ;; esac
    if [ "$step" -gt "$first" ]; then first=$step; fi
done
if [ "$first" -gt 0 ]; then set -- "$@" --init "$stem.$first.csv"; fi
# Slurm's warning, two minutes before the time is up, reaches the processes: they keep the state.
srun --mpi="${MPI:-pmix}" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" murmuration run --mpi "$@" \
    --steps "$((steps - first))" --out "$out" --checkpoint "${EVERY:-1000}" --quiet
if [ "$first" -gt 0 ]; then rm -f "$stem.$first.csv"; fi
