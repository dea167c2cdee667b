#!/usr/bin/env bash
# tools/demo.sh path/to/sinew - what Sinew does today, on two mechanisms of its own
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sinew=$1
readonly models=(models/four_bar.xml models/humanoid.xml)

for file in "$sinew" "${models[@]}"; do
  [[ -f $file ]] || { echo "demo: $file is missing" >&2; exit 1; }
done
for model in "${models[@]}"; do
  for verb in info check; do
    printf '\n$ sinew %s %s\n' "$verb" "$model"
    "$sinew" "$verb" "$model"
  done
done
for command in "count models/gu6.xml" "count models/humanoid.xml --constraints left_sole:weld,right_sole:weld" "bench models/humanoid.xml --seconds 0.2"; do
  printf '\n$ sinew %s\n' "$command"
  # shellcheck disable=SC2086
  "$sinew" $command
done
printf '\n'
printf '%s\n' "That was loading and checking a closed loop (and its mobility) and a tree on a free joint, counting operations beside the" \
  "book's and under constraints, and timing. What comes next: contact and a report of a simulated pendulum." \
  "Try your own: $sinew info path/to/robot.urdf"
