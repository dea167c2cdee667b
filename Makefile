# The commands for developers. Each target first installs what is missing (tools/setup.sh), and is quick when nothing
# changed. `make` alone lists the targets.
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

# Presets are in CMakePresets.json. In CI warnings are errors and ccache is left out.
PRESET ?= $(if $(CI),ci,release)
JOBS ?= $(shell nproc)
SECONDS ?= 30# of fuzzing, for each target
BENCH_ARGS ?=
PEERS_ARGS ?=
TEST_ARGS ?=

BUILD := build/$(PRESET)
PYTHON := .venv/bin/python
# The public robots that some tests read are in the private Python environment.
ROBOTS = $$(ls -d $(CURDIR)/.venv/lib/python3*/site-packages 2>/dev/null)
TEST_ENV = SINEW_ROBOTS="$(ROBOTS)" SINEW_APP="$(CURDIR)/$(BUILD)/sinew" PYTHONDONTWRITEBYTECODE=1
# The kernels that make cuda or make cuda-library compiled, where there are some.
CUDA_LIBRARY = $(firstword $(wildcard $(CURDIR)/build/cuda/libsinew_cuda.so $(CURDIR)/build/cuda/unoptimized/libsinew_cuda.so))
CUDA_ENV = $(if $(CUDA_LIBRARY),SINEW_CUDA_LIBRARY="$(CUDA_LIBRARY)")
CXX_FILES = $(shell git ls-files -co --exclude-standard -- '*.hpp' '*.cpp' '*.cu' '*.cuh' | xargs -r ls -d 2>/dev/null)
say = @printf '\n== %s\n' '$(1)'

.PHONY: help setup build command demo python wheel test test-cpp test-python tolerances asan tsan clang fuzz fuzz-pack \
        bench bench-peers bench-peers-delassus bench-siconos bench-python bench-batch bench-env sweep-show bench-mujoco \
        bench-heaps bench-generated derivative-table derivative-states \
        mujoco-motion bench-scaling \
        bench-exponents public-scenes public-robots summaries verify-table bench-smoke \
        build-times cuda cuda-library viewer viewer-check report-show lint format-check format tidy checks docs man models clean

help: ## list the targets
	@sed -nE 's/^([a-z -]+):[^#]*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20
	@printf '%s\n' '' 'Variables: PRESET=$(PRESET) (release, debug, asan, tsan, native, clang-release, ci), JOBS=$(JOBS),' \
	  'SECONDS=$(SECONDS) (make fuzz), TEST_ARGS= (ctest), BENCH_ARGS= (sinew_bench).'

setup: ## install everything that any target needs
	@tools/setup.sh build lint cuda python node browser docs

# --- build ----------------------------------------------------------------------------------------------------------
# Configured once; Ninja configures again by itself when a CMake file or the set of sources changes.
build/%/build.ninja: CMakePresets.json
	@printf '\n== configure %s\n' '$*'
	@cmake --preset $*
	@touch $@

.PHONY: build-tools
build-tools:
	@tools/setup.sh build

build: build-tools ## compile library, command, tests and benchmarks
	@$(MAKE) -s $(BUILD)/build.ninja
	$(call say,build $(PRESET))
	@$(WATCHED) cmake --build --preset $(PRESET) -j $(JOBS)
# For `make build-times` in CI the speed of the machine is measured while it builds.
WATCHED = $(if $(filter ci,$(PRESET)),tools/check_build_times.py $(BUILD) --during)

command: build-tools ## compile the command sinew, with the library and nothing else
	@$(MAKE) -s $(BUILD)/build.ninja
	$(call say,the command ($(PRESET)))
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sinew_app

# Configured again with SINEW_PYTHON where that is off; the extension links the objects of the same build tree.
python: build-tools ## compile the Python package into build/PRESET/python
	@tools/setup.sh python
	@$(MAKE) -s $(BUILD)/build.ninja
	@grep -q '^SINEW_PYTHON:BOOL=ON' $(BUILD)/CMakeCache.txt || \
	  cmake --preset $(PRESET) -DSINEW_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON)
	$(call say,the Python package ($(PRESET)))
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sinew_python_stubs

# One that other machines can install: HDF5 inside (SINEW_BUNDLE), other libraries beside it (auditwheel). Then in a
# clean environment: import, the example, python/tests.
wheel: build-tools ## make the Python wheel in build/wheel and test it in a clean environment
	@tools/setup.sh python wheel
	$(call say,wheel)
	@tools/make_wheel.sh build/wheel

# --- run ------------------------------------------------------------------------------------------------------------
# Where nothing is compiled yet, preset demo: a part of the command, in half the time.
DEMO_PRESET = $(if $(wildcard $(BUILD)/sinew),$(PRESET),demo)
demo: ## five scenes with hard contact, as one page: demo/report.html
	@$(MAKE) -s command PRESET=$(DEMO_PRESET)
	@tools/demo.sh build/$(DEMO_PRESET)/sinew

test: build ## every test: C++ (with an outside project), Python, and the page in a browser
	@tools/setup.sh python browser
	@$(MAKE) test-cpp
	@$(MAKE) python
	@$(MAKE) test-python

test-cpp:
	$(call say,C++ tests ($(PRESET)))
ifeq ($(TEST_ARGS),)
	@rm -rf $(BUILD)/tolerances
	@$(TEST_ENV) ctest --preset $(PRESET) -j $(JOBS) --label-exclude cases
	@$(TEST_ENV) $(CUDA_ENV) SINEW_TOLERANCES="$(CURDIR)/$(BUILD)/tolerances" tools/run_tests.py $(BUILD)/sinew_tests --jobs $(JOBS)
	@tools/check_tolerances.py $(if $(filter release ci,$(PRESET)),,--summary) $(BUILD)/tolerances
else
	@$(TEST_ENV) ctest --preset $(PRESET) -j $(JOBS) $(TEST_ARGS)
endif

tolerances: ## allowed and largest seen error of every comparison in the last C++ tests
	@tools/check_tolerances.py --all $(BUILD)/tolerances

test-python:
	$(call say,Python tests)
	@$(TEST_ENV) $(PYTHON) -m pytest -q -rs -p no:cacheprovider tests
	@$(TEST_ENV) $(CUDA_ENV) PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) -m pytest -q -rs -p no:cacheprovider python/tests

# The library is compiled for it; the tests are linked as `make build` compiled them. WHOLE=1 compiles all.
asan: build ## the C++ tests, the library with address and undefined-behaviour sanitizers (WHOLE=1: the tests with them too)
	@tools/setup.sh lint
	@cmake --preset $@ $(if $(WHOLE),-DSINEW_PLAIN_BUILD= -DBUILD_SHARED_LIBS=OFF,-DSINEW_PLAIN_BUILD=$(CURDIR)/$(BUILD) -DBUILD_SHARED_LIBS=ON) >/dev/null
	@cmake --build --preset $@ -j $(JOBS)
	$(call say,C++ tests ($@))
	@$(TEST_ENV) tools/run_tests.py build/$@/sinew_tests --jobs $(JOBS)

tsan: ## the C++ tests under the thread sanitizer
	@tools/setup.sh lint
	@$(MAKE) build PRESET=$@
	$(call say,C++ tests ($@))
	@$(TEST_ENV) tools/run_tests.py build/$@/sinew_tests --jobs $(JOBS)

asan: export ASAN_OPTIONS = detect_stack_use_after_return=1:strict_string_checks=1
asan: export UBSAN_OPTIONS = print_stacktrace=1
tsan: export TSAN_OPTIONS = halt_on_error=1

clang: ## the C++ tests, compiled by Clang
	@tools/setup.sh lint
	@$(MAKE) build PRESET=clang-release
	@$(MAKE) test-cpp PRESET=clang-release

fuzz: ## every reader on random files, SECONDS each (or RUNS=10000000 inputs each, in at most SECONDS)
	@tools/setup.sh build lint
	@$(MAKE) build PRESET=fuzz
	$(call say,fuzz)
	@tools/fuzz.sh build/fuzz $(SECONDS) $(RUNS)

fuzz-pack: ## what another machine needs to fuzz, in build/fuzz_pack (after make fuzz)
	@tools/fuzz_pack.sh build/fuzz build/fuzz_pack

bench: ## benchmarks, tuned for this machine, and loading times against Pinocchio and MuJoCo
	@tools/setup.sh build python
	@$(MAKE) build PRESET=native
	$(call say,benchmarks)
	@$(if $(wildcard bench),,echo 'bench: there is no benchmark in bench/' >&2; exit 1)
	@SINEW_ROBOTS="$(ROBOTS)" build/native/sinew_bench $(BENCH_ARGS)
	@if [ -f tools/bench_loading.py ]; then SINEW_ROBOTS="$(ROBOTS)" $(PYTHON) tools/bench_loading.py build/native; fi

bench-peers: ## tree algorithms against Pinocchio's, same compilers, flags, states (PEERS_ARGS='--quick --robots panda')
	@tools/setup.sh build lint python
	$(call say,beside Pinocchio)
	@SINEW_ROBOTS="$(ROBOTS)" $(PYTHON) tools/bench_peers.py --jobs $(JOBS) $(PEERS_ARGS)

bench-generated: command python ## generated code against Pinocchio's through CasADi (fetches CasADi); writes docs/generate.md
	@tools/setup.sh lint
	$(call say,generated code)
	@SINEW_ROBOTS="$(ROBOTS)" PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) bench/generated/race.py $(BUILD)/sinew --write

derivative-table: build ## derivatives of every public robot against dual numbers; writes build/derivatives.md
	@tools/setup.sh python
	@SINEW_ROBOTS="$(ROBOTS)" SINEW_DERIVATIVE_TABLE=build/derivatives.md $(BUILD)/sinew_tests \
	  --gtest_filter='PublicDerivatives.*'

derivative-states: build ## derivatives of steps at a thousand states of four scenes; writes build/derivative_states.md
	@rm -f build/derivative_states.md
	@SINEW_DERIVATIVE_STATES=1000 SINEW_DERIVATIVE_STATES_TABLE=build/derivative_states.md $(BUILD)/sinew_tests \
	  --gtest_filter='StepDerivatives.AreThoseOfDifferencesOf*-*SingleBodies'

bench-peers-delassus: ## Delassus matrix and constrained dynamics against Pinocchio's (PEERS_ARGS='--quick --robots talos')
	@$(MAKE) --no-print-directory bench-peers PEERS_ARGS="--suite delassus $(PEERS_ARGS)"

bench-siconos: build ## a thousand contact problems against Siconos (needs libsiconos-numerics-dev)
	$(call say,beside Siconos)
	@tools/bench_siconos.py --build $(BUILD)

bench-python: python ## calls from Python beside Pinocchio and MuJoCo; writes the table of docs/python.md
	$(call say,calls from Python)
	@SINEW_ROBOTS="$(ROBOTS)" PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) tools/bench_python.py --write docs/python.md

bench-batch: python ## batches of simulations beside mujoco.rollout and mujoco.batch; writes the table of docs/python.md
	$(call say,batches from Python)
	@SINEW_ROBOTS="$(ROBOTS)" PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) tools/bench_batch.py --write docs/python.md

sweep-show: python ## sweeps of 1000 runs, killed in every way; writes the table of docs/sweep.md (installs Ray)
	@tools/setup.sh sweep
	$(call say,sweeps)
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) tools/sweep_show.py --write docs/sweep.md

bench-env: python ## environment steps per second beside gymnasium's MuJoCo humanoid; writes the table of docs/python.md
	$(call say,environments)
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python $(PYTHON) tools/bench_env.py --write docs/python.md

bench-mujoco: command ## scenes against MuJoCo on one thread; writes docs/mujoco.md
	@tools/setup.sh python
	$(call say,beside MuJoCo)
	@SINEW_ROBOTS="$(ROBOTS)" $(PYTHON) tools/bench_mujoco.py $(BUILD)/sinew --write docs/mujoco.md

mujoco-motion: command ## motion of tendons, muscles and fluids beside MuJoCo's; writes docs/mujoco_motion.md
	@tools/setup.sh python
	$(call say,motion beside MuJoCo)
	@SINEW_ROBOTS="$(ROBOTS)" $(PYTHON) tools/compare_motion.py $(BUILD)/sinew --write docs/mujoco_motion.md

bench-heaps: command ## heaps, walls, towers, chains beside MuJoCo, one thread; writes docs/heaps.md (HEAPS_ARGS='--only box')
	$(call say,many bodies against MuJoCo)
	@$(PYTHON) tools/bench_heaps.py $(BUILD)/sinew --write docs/heaps.md $(HEAPS_ARGS)

bench-scaling: command ## time per step against contacts and bodies; writes docs/scaling.md and its figure
	$(call say,scaling)
	@tools/bench_scaling.py $(BUILD)/sinew --write docs

bench-exponents: build ## how times grow with size; fails where an exponent is not what theory says
	$(call say,exponents)
	@tools/bench_exponents.py $(BUILD)

public-scenes: command ## simulate every MJCF file of the installed packages; writes docs/public_scenes.md
	@tools/setup.sh python
	$(call say,public scenes)
	@SINEW_ROBOTS="$(ROBOTS)" $(PYTHON) tools/run_public_scenes.py $(BUILD)/sinew --write docs/public_scenes.md

public-robots: command ## simulate every URDF of the installed packages on a floor; writes docs/public_robots.md
	@tools/setup.sh python
	$(call say,public robots)
	@SINEW_ROBOTS="$(ROBOTS)" $(PYTHON) tools/run_public_robots.py $(BUILD)/sinew --write docs/public_robots.md

summaries: command ## three runs and their summaries; writes them into docs/scenes.md
	@tools/setup.sh python
	@SINEW_ROBOTS="$(ROBOTS)" $(PYTHON) tools/make_summaries.py $(BUILD)/sinew docs/scenes.md

man: command ## manual pages of the command, in build/man
	@$(BUILD)/sinew man --out build/man

verify-table: command ## sinew verify on our models and on the installed robots; writes the table of docs/operators.md
	@tools/setup.sh python
	$(call say,verify)
	@SINEW_ROBOTS="$(ROBOTS)" $(PYTHON) tools/make_verify_table.py $(BUILD)/sinew --write docs/operators.md

# Without the runs of 100 000 steps, which take minutes, and the solvers with cubic cost on large lifts.
bench-smoke: build ## run every benchmark once, as a test
	$(call say,benchmarks, once each)
	@SINEW_ROBOTS="$(ROBOTS)" $(BUILD)/sinew_bench --benchmark_min_time=0.001 \
	  --benchmark_filter='-EmbeddedRun|Lift/[a-z]+/300' $(BENCH_ARGS)

build-times: ## check the compile-time budget of the last build
	$(call say,compile times ($(PRESET)))
	@tools/check_build_times.py $(BUILD) --unit 12 --total 800

cuda: ## compile every kernel for a CUDA device; the compiler comes from PyPI, no device is needed
	@tools/setup.sh cuda
	$(call say,CUDA)
	@tools/compile_cuda.py --jobs $(JOBS)

cuda-library: ## build/cuda/libsinew_cuda.so: kernels of DeviceSimulation for A100 and later, found by SINEW_CUDA_LIBRARY
	@tools/setup.sh cuda
	@tools/compile_cuda.py --library --jobs $(JOBS)

# --- lint -----------------------------------------------------------------------------------------------------------
lint: format-check checks viewer-check tidy ## formatting, layers, headers, equation map, links, the page, clang-tidy

.PHONY: lint-tools
lint-tools:
	@tools/setup.sh build lint

format-check: lint-tools
	$(call say,clang-format)
	@clang-format-16 --dry-run -Werror $(CXX_FILES) && echo 'clang-format: $(words $(CXX_FILES)) files'

format: lint-tools ## format the C++ files
	@clang-format-16 -i $(CXX_FILES)

checks: lint-tools
	$(call say,checks)
	@tools/check_layers.py
	@tools/check_contracts.py
	@tools/check_headers.py
	@tools/check_equations.py
	@tools/make_diagnostics.py --check
	@tools/make_compare.py --check
	@tools/quote_examples.py --check
	@tools/check_links.py
	@tools/check_public_calls.py
	@tools/check_sizes.py

# --- the page of reports --------------------------------------------------------------------------------------------
viewer: ## make viewer/dist/page.html, which is committed and compiled in (needs Node.js)
	@tools/setup.sh node
	@cd viewer && node_modules/.bin/tsc --noEmit && node build.mjs

viewer-check: ## types of the page, and whether viewer/dist/page.html is what its sources make
	@tools/setup.sh node
	$(call say,the page)
	@cd viewer && node_modules/.bin/tsc --noEmit && node build.mjs --check

report-show: command ## size, load time and frame rate of reports in Chromium; writes the table of docs/report.md
	@tools/setup.sh python browser
	$(call say,reports)
	@$(PYTHON) tools/report_show.py $(BUILD)/sinew --write docs/report.md

tidy: lint-tools
	@$(MAKE) -s build/lint/build.ninja
	$(call say,clang-tidy)
	@cmake --build build/lint --target build.ninja >/dev/null
	@tools/run_tidy.py --database build/lint --jobs $(JOBS)

# --- docs -----------------------------------------------------------------------------------------------------------
docs: command ## write the generated pages and check every link
	$(call say,docs)
	@tools/make_diagnostics.py
	@if [ -f tools/make_robots.py ]; then \
	  tools/setup.sh python && $(TEST_ENV) $(PYTHON) tools/make_robots.py $(BUILD)/sinew; fi
	@tools/make_compare.py
	@tools/quote_examples.py $(BUILD)/sinew
	@tools/check_links.py

# Warnings are errors. The variable silences an advertisement, not a warning.
.PHONY: site package
site: python ## the documentation with examples and API as a web site, in build/site
	@tools/setup.sh docs
	$(call say,site)
	@tools/make_api.py --check
	@SINEW_PACKAGE=$(BUILD)/python/sinew NO_MKDOCS_2_WARNING=1 .docs/bin/mkdocs build --strict --quiet
	@echo 'site: open build/site/index.html'

package: command ## a Debian package of library, command, models and manual, in build/package
	$(call say,Debian package)
	@cd $(BUILD) && cpack -G DEB -B $(CURDIR)/build/package

models: build ## write the mechanisms of models/ again
	@$(BUILD)/sinew_make_models models

clean: ## remove everything built (the Python environment stays)
	rm -rf build demo
