#!/usr/bin/env bash
# tools/setup.sh GROUP... - makes this machine ready for a part of the work, and installs only what is missing
#   build    compiler, build tools and the libraries Sinew uses        (Debian packages)
#   lint     Clang 16 with its formatter and sanitizer runtimes       (Debian packages), and clang-tidy in .tidy/
#   cuda     NVIDIA's compiler in .cuda/ (about 300 MB), to compile kernels; a device is not needed
#   wheel    what a wheel is made of                                    (Debian packages)
#   python   .venv/ with the peers and public robots of tools/requirements.txt
#   node     Node.js and npm (Debian packages), and what the page of viewer/ is made of, in viewer/node_modules
#   browser  Chromium and ffmpeg (Debian packages), and Playwright in .venv/, for tests of the page
#   sweep    Ray in .venv/ (about 250 MB), for make sweep-show alone
#   docs     Doxygen (a Debian package), and mkdocs in .docs/ (about 60 MB), for make site
# Debian packages are installed directly by root, else through sudo if it asks for no password; else the command to
# run is printed and the script fails. What was found complete is noted in build/stamps, so the next call is quick.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly build_packages="g++ cmake ninja-build ccache pkg-config libeigen3-dev libtinyxml2-dev libcli11-dev
  nlohmann-json3-dev libfmt-dev libgtest-dev libbenchmark-dev liburdfdom-dev libhdf5-dev libfcl-dev libpng-dev zlib1g-dev
  libboost-dev"
readonly lint_packages="clang-16 clang-format-16 libclang-rt-16-dev"
readonly tidy="clang-tidy==23.1.4"  # three times as fast as 16: it does not look for mistakes in system headers
# Parts of one toolkit, 13.0.
readonly cuda="nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
  nvidia-nvvm==13.0.88"
readonly python_packages="python3-venv"
readonly wheel_packages="libaec-dev zlib1g-dev"
readonly node_packages="nodejs npm"
readonly browser_packages="chromium ffmpeg"
readonly docs_packages="doxygen"

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$@" >&2; exit 1; }

missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

install_packages() {
  local group=$1 missing as_root=()
  shift
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "$group: not a Debian system; provide the equivalents of: $*"
    return
  fi
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [[ -n $missing ]] || return 0
  if [[ $(id -u) != 0 ]]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      fail "$group: these packages are missing, and only root can install them. Run, then call again:" \
        "  sudo apt-get update && sudo apt-get install -y --no-install-recommends $missing"
    fi
  fi
  say "$group: installing $missing"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update
  # shellcheck disable=SC2086  # one word per package
  "${apt[@]}" install -y --no-install-recommends $missing >build/setup.log 2>&1 ||
    { tail -20 build/setup.log >&2; fail "$group: apt-get failed, see build/setup.log"; }
}

# setup_packages GROUP PACKAGE...: the stamp holds the list it was made for.
setup_packages() {
  local group=$1 stamp=build/stamps/$1
  shift
  [[ -f $stamp && $(<"$stamp") == "$*" ]] && return
  mkdir -p build/stamps
  install_packages "$group" "$@"
  echo "$*" >"$stamp"
  say "$group: complete"
}

check_python() {
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "python: Python 3.11 or newer is needed, $(python3 --version 2>&1) is what python3 gives"
  # shellcheck disable=SC2086
  python3 -c 'import ensurepip, venv' 2>/dev/null || setup_packages python-packages $python_packages
}

# setup_tools GROUP FOLDER PROGRAM PACKAGE...: programs from PyPI, in an environment of their own.
setup_tools() {
  local group=$1 folder=$2 program=$3
  shift 3
  [[ -f $folder/version && $(<"$folder/version") == "$*" && -x $(echo "$folder"/$program) ]] && return
  check_python
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
  echo "$*" >"$folder/version"
  say "$group: $*"
}

setup_python() {
  local stamp=.venv/requirements.sha256 want
  want=$(sha256sum <tools/requirements.txt)
  [[ -f $stamp && $(<"$stamp") == "$want" && -x .venv/bin/python ]] && return
  check_python
  say "python: making .venv from tools/requirements.txt (about 1.4 GB, some minutes the first time)"
  python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r tools/requirements.txt
  echo "$want" >"$stamp"
  say "python: complete"
}

# Node.js 18 and newer will do; one that is there already, from wherever, is taken.
setup_node() {
  local stamp=viewer/node_modules/.package-lock.sha256 want
  # shellcheck disable=SC2086
  command -v node >/dev/null && command -v npm >/dev/null || setup_packages node $node_packages
  want=$(sha256sum <viewer/package-lock.json)
  [[ -f $stamp && $(<"$stamp") == "$want" ]] && return
  (cd viewer && npm ci --silent --no-audit --no-fund --ignore-scripts) || fail "node: npm ci failed in viewer/"
  echo "$want" >"$stamp"
  say "node: complete"
}

setup_sweep() {
  .venv/bin/python -c 'import ray' 2>/dev/null && return
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r tools/requirements-sweep.txt
  say "sweep: complete"
}

setup_docs() {
  local stamp=.docs/requirements.sha256 want
  want=$(sha256sum <tools/requirements-docs.txt)
  [[ -f $stamp && $(<"$stamp") == "$want" && -x .docs/bin/mkdocs ]] && return
  check_python
  rm -rf .docs
  python3 -m venv .docs
  .docs/bin/python -m pip install --quiet --disable-pip-version-check -r tools/requirements-docs.txt
  echo "$want" >"$stamp"
  say "docs: complete"
}

[[ $# -gt 0 ]] || fail "usage: tools/setup.sh build|lint|cuda|python|wheel|node|browser|sweep|docs ..."
for group in "$@"; do
  # shellcheck disable=SC2086
  case $group in
    build) setup_packages build $build_packages ;;
    lint) setup_packages lint $lint_packages && setup_tools lint .tidy bin/clang-tidy $tidy ;;
    cuda) setup_packages build $build_packages && setup_tools cuda .cuda 'lib/python3*/site-packages/nvidia/cu13/bin/nvcc' $cuda ;;
    python) setup_python ;;
    wheel) setup_packages wheel $wheel_packages ;;
    node) setup_node ;;
    browser) setup_packages browser $browser_packages && setup_python ;;
    sweep) setup_python && setup_sweep ;;
    docs) setup_packages docs $docs_packages && setup_docs ;;
    *) fail "no group '$group'; there are build, lint, cuda, python, wheel, node, browser, sweep, docs" ;;
  esac
done
