#!/bin/sh
# A study on several machines by GNU parallel, which needs ssh to them and folders that all of them see:
#
#   ./parallel.sh study.toml results 8 --sshlogin a,b,c --workdir .
#
# Without --sshlogin it runs here. Called again, it goes on with what is missing.
set -eu
spec=$1 results=$2 shards=$3
shift 3
mkdir -p "$results"
parallel --halt soon,fail=1 --jobs 1 "$@" \
    murmuration sweep "$spec" --out "$results/shard-{}" --shard "{}/$shards" --resume --quiet \
    ::: $(seq 0 $((shards - 1)))
murmuration sweep --merge "$results"/shard-* --out "$results/all"
