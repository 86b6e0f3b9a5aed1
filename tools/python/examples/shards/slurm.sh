#!/bin/bash
# A match as a Slurm array, a task a shard:
#   sbatch --array=1-64 slurm.sh builtin:expectimax builtin:greedy --tc depth=1 --games 10000 --seed 1
# The same line again goes on with what is missing; then: arena merge parts/*.jsonl --out whole.jsonl
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --requeue
set -euo pipefail
mkdir -p parts
# SLURM_ARRAY_TASK_COUNT is that of this submission: some shards of a larger event need SHARDS.
exec "${ARENA:-arena}" shard "$SLURM_ARRAY_TASK_ID/${SHARDS:-$SLURM_ARRAY_TASK_COUNT}" match "$@" \
    --concurrency 1 --journal "parts/$SLURM_ARRAY_TASK_ID.jsonl" --resume
