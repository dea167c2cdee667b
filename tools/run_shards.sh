#!/usr/bin/env bash
# tools/run_shards.sh TEST_BINARY JOBS - a GoogleTest binary in JOBS shards at once
# One process a shard instead of one a test: under a sanitizer starting a process costs more than most tests.
set -euo pipefail
binary=$1 jobs=$2 failed=0 pids=()
for ((i = 0; i < jobs; ++i)); do
  GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$i "$binary" --gtest_brief=1 &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
exit "$failed"
