#!/usr/bin/env bash
# tools/demo.sh path/to/sinew - five scenes in one page, demo/report.html, and a line of summary for each
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sinew=$1
mkdir -p demo
rm -f demo/*.h5 demo/report.html

# name, what it shows, then the words of `sinew sim`
show() {
  local name=$1 what=$2 summary
  shift 2
  summary=$("$sinew" sim "$@" --record "demo/$name.h5" --force 2>demo/log)
  printf '%-10s %-54s %s, %s\n' "$name" "$what" "$(sed -n '1s/.*, \(.* real time\)$/\1/p' <<<"$summary")" \
    "$(sed -n 's/^  solution *[^;]*; *\([^;]*\).*/\1/p' <<<"$summary")"
}
printf '%s\n' "Five scenes, each simulated with hard contact:"
show humanoid 'a humanoid of 27 freedoms falls' models/scenes/humanoid_falls.xml --for 3
show quadruped 'a quadruped stands while it is pushed' models/scenes/quadruped.xml --for 5 --pushes 40
show dominoes 'a row of dominoes topples' models/scenes/domino_row.xml --for 2
show pendulum "J14's pendulum of twelve spheres meets floor and wall" pendulum:12 --for 5 --every 20
show capture 'a spacecraft brakes the satellite that it has caught' models/scenes/capture.xml --for 20
"$sinew" report demo/{humanoid,quadruped,dominoes,pendulum,capture}.h5 -o demo/report.html --force >demo/log
printf 'Open it in a browser: %s\n' "$PWD/demo/report.html"
