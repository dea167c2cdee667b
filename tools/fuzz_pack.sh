#!/usr/bin/env bash
# tools/fuzz_pack.sh BUILD PACK - what another Linux machine of this architecture needs to fuzz, and nothing of its own
# The program without debugging information, its libraries and their loader, the seeds, the words and tools/fuzz.sh:
#   cd PACK && tools/fuzz.sh build 540 10000000
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$1 pack=$2
rm -rf "$pack"
mkdir -p "$pack/build/lib" "$pack/tests/fuzz" "$pack/tools"
strip --strip-debug -o "$pack/build/program" "$build/sinew_fuzz"
ldd "$build/sinew_fuzz" | grep -o '/[^ ]*' | xargs -I {} cp -L {} "$pack/build/lib"
strip --strip-debug "$pack"/build/lib/lib[!c]*
cp -r tests/fuzz/corpus tests/fuzz/*.dict "$pack/tests/fuzz"
cp tools/fuzz.sh "$pack/tools"
cat >"$pack/build/sinew_fuzz" <<'WRAPPER'
#!/bin/sh
here=$(dirname "$0")
exec "$here"/lib/ld-linux-*.so.* --library-path "$here/lib" "$here/program" "$@"
WRAPPER
chmod +x "$pack/build/sinew_fuzz"
du -sh "$pack"
