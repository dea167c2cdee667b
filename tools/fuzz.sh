#!/usr/bin/env bash
# tools/fuzz.sh BUILD SECONDS [RUNS] - feeds every reader of BUILD/sinew_fuzz, as many at once as there are cores
# Without RUNS: each for SECONDS; what a run finds is kept in BUILD/corpus and used again by the next run.
# With RUNS: each with so many inputs in eight parts, searches of their own that begin at the seeds, and no longer than
# SECONDS in all. SEED=N: other inputs than those of SEED=1.
# tests/fuzz/corpus/<name>/ holds the seeds of a reader, tests/fuzz/<name>.dict its words. An input that breaks
# something is left in BUILD/found. The last table is BUILD/fuzz.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export build=$1 seconds=$2 runs=${3:-} seed=${SEED:-1} begun=$EPOCHSECONDS
export parts=$((${#runs} > 0 ? 8 : 1))
# [s] for one input. Many inputs take hours beside other work, and an input may wait for the processor.
export patience=$((${#runs} > 0 ? 600 : 10))
# Short stacks of allocations and a small quarantine: more inputs a second.
export ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=8:detect_stack_use_after_return=0
rm -rf "$build/logs"
mkdir -p "$build/logs" "$build/found"

feed() {
  local name=$1 part=$2 left=$seconds words=() limit=() corpus=$build/corpus/$1
  if [[ -n $runs ]]; then
    left=$((begun + seconds - EPOCHSECONDS)) limit=(-runs=$((runs / parts)) -seed=$((100 * seed + part)))
    corpus=$build/parts/$name.$part
    rm -rf "$corpus"
  fi
  ((left > 0)) || return 0
  [[ -f tests/fuzz/$name.dict ]] && words=(-dict="tests/fuzz/$name.dict")
  mkdir -p "$corpus"
  # Seeds are read and never written: new inputs go to the first folder.
  SINEW_FUZZ=$name "$build/sinew_fuzz" -max_total_time="$left" -timeout="$patience" -rss_limit_mb=4096 \
    -print_final_stats=1 -verbosity=1 -artifact_prefix="$build/found/$name-" "${limit[@]}" "${words[@]}" "$corpus" \
    "tests/fuzz/corpus/$name" </dev/null >"$build/logs/$name.$part" 2>&1 || true
}
export -f feed

names=$("$build/sinew_fuzz")
for name in $names; do
  [[ -d tests/fuzz/corpus/$name ]] || { echo "fuzz: $name has no seeds in tests/fuzz/corpus/$name" >&2; exit 1; }
done
for ((part = 1; part <= parts; ++part)); do printf "%s $part\n" $names; done |
  xargs -P "$(nproc)" -L 1 bash -c 'feed "$1" "$2"' _

{
  printf '%-14s %12s %10s %12s %8s\n' reader inputs 'a second' 'slowest [s]' found
  for name in $names; do
    sed -n 's/^stat:://p' "$build/logs/$name".* | awk -v name="$name" -v found="$(find "$build/found" -name "$name-*" | wc -l)" '
      /number_of_executed_units/ { inputs += $2 }
      /average_exec_per_sec/ && $2 > 0 { time += (inputs - before) / $2; before = inputs }
      /slowest_unit_time_sec/ && $2 > slowest { slowest = $2 }
      END { printf "%-14s %12d %10d %12d %8d\n", name, inputs, (time > 0 ? inputs / time : 0), slowest, found }'
  done
} | tee "$build/fuzz.txt"
broken=$(find "$build/found" -type f -printf '%f ')
[[ -z $broken ]] || { echo "fuzz: inputs that break something are in $build/found, logs in $build/logs: $broken" >&2; exit 1; }
