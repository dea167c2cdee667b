#!/usr/bin/env bash
# tools/fuzz.sh BUILD SECONDS - runs each fuzz target of BUILD for so long
# tests/fuzz/corpus/<name>/ holds the seeds of <name>_fuzz, tests/fuzz/<name>.dict its words. What a run finds is kept
# in BUILD/corpus and used again by the next run; an input that breaks something is left in BUILD/found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1 seconds=$2

shopt -s nullglob
targets=(tests/fuzz/*_fuzz.cpp)
[[ ${#targets[@]} -gt 0 ]] || { echo "fuzz: tests/fuzz holds no *_fuzz.cpp" >&2; exit 1; }
for source in "${targets[@]}"; do
  target=$(basename "$source" .cpp)
  name=${target%_fuzz}
  seeds=tests/fuzz/corpus/$name
  [[ -d $seeds ]] || { echo "fuzz: $target has no seeds in $seeds" >&2; exit 1; }
  mkdir -p "$build/corpus/$name" "$build/found"
  words=()
  [[ -f tests/fuzz/$name.dict ]] && words=(-dict="tests/fuzz/$name.dict")
  echo "-- $target"
  log=$build/$target.log
  # Seeds are read and never written: new inputs go to the first folder.
  if "$build/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$build/found/$name-" "${words[@]}" "$build/corpus/$name" "$seeds" </dev/null >"$log" 2>&1; then
    grep -E '^(Done|stat::number_of_executed_units|stat::average_exec_per_sec)' "$log"
  else
    tail -60 "$log"
    echo "fuzz: $target failed; the input is in $build/found, the log in $log" >&2
    exit 1
  fi
done
