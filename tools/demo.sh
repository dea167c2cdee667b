#!/usr/bin/env bash
# tools/demo.sh path/to/sinew - what Sinew does today, on mechanisms of its own; plots go to demo/
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sinew=$1
mkdir -p demo

run() {
  printf '\n$ sinew %s\n' "$*"
  "$sinew" "$@"
}
run info models/four_bar.xml
run check models/humanoid.xml
run count models/humanoid.xml --constraints left_sole:weld,right_sole:weld
run bench models/humanoid.xml --seconds 0.2
printf '\nThe pendulum of J14: twelve spheres on pins swing into the floor and the wall, 5 s in steps of 0.1 ms.\n'
run sim pendulum:12 --for 5 --plot demo/pendulum.svg
run compare pendulum:12 --for 0.3 --directions 4
printf '\n%s\n' "Look at demo/pendulum.svg. Try your own: $sinew info path/to/robot.urdf, or sinew reproduce j14 --out demo"
