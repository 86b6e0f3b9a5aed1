#!/bin/bash
# A match as so many shards by GNU parallel, on this machine or, with PARALLEL='--sshloginfile nodes', on others that share the
# folder:
#   parallel.sh 64 builtin:expectimax builtin:greedy --tc depth=1 --games 10000 --seed 1
# The same line again goes on with what is missing; then: arena merge parts/*.jsonl --out whole.jsonl
set -euo pipefail
shards=$1
shift
mkdir -p parts
seq "$shards" | parallel --line-buffer --quote "${ARENA:-arena}" shard "{}/$shards" match "$@" \
    --concurrency 1 --journal parts/{}.jsonl --resume
