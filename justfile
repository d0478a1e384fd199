# Visiting Day. Without just: npx --yes rust-just RECIPE
# Needs a Rust toolchain (rustup.rs), a C compiler and Node 20 or newer.

set dotenv-load
set shell := ["bash", "-euo", "pipefail", "-c"]

just := just_executable() + " --justfile " + quote(justfile())
camp := "target/debug/camp"

# List these recipes
_default:
    @{{ just }} --list --unsorted

# Look around in an invented camp: builds, plants it, serves site, API and worker
demo *OPTIONS: _portal
    @exec {{ camp }} demo {{ OPTIONS }}

# The demo from the beginning: everything that was changed in it is gone
demo-reset *OPTIONS: _portal
    @exec {{ camp }} demo --start-over {{ OPTIONS }}

# The demo with a front end that follows every change, on http://127.0.0.1:5173
dev *OPTIONS: _portal
    #!/usr/bin/env bash
    set -euo pipefail
    {{ camp }} demo {{ OPTIONS }} &
    trap 'kill $! 2>/dev/null; wait' EXIT
    npm --prefix web run dev

# Build the front end and, for a server, target/release/camp with the site in it (about ten minutes)
build: _web
    cargo build --release -p cli

# Test everything: on SQLite and PostgreSQL, the front end, and journeys in a real browser
[no-exit-message]
test: _tools _packages
    @{{ just }} _with-postgres {{ just }} _suite tests

# What CI runs: all tests, lint, and whether contract and types are what the code says
[no-exit-message]
ci: _tools _packages
    @{{ just }} _with-postgres {{ just }} _suite tests lint drift

# Formatting, clippy, oxlint, types
[no-exit-message]
lint: _tools _node-modules
    @{{ just }} _suite lint

# Kill workers and vex mail servers for longer than the tests do
[no-exit-message]
chaos: _tools _packages
    @CAMP_CHAOS=1 {{ just }} _with-postgres cargo test -p cli --test it mail -- --nocapture

# Measure home, video, gallery and FAQ with Lighthouse, as on a phone; wants a quiet machine
[no-exit-message]
lighthouse: _packages _portal
    @node web/scripts/lighthouse.mjs

# What lists cost in a camp of twenty summers, against one with a hundredth of its rows
[no-exit-message]
[positional-arguments]
bench *LISTS: _tools _packages
    @{{ just }} _with-postgres cargo bench --workspace --bench lists --profile dev -- "$@"

# Write web/openapi.json and its types anew from the code
codegen: _node-modules
    cargo build -p cli
    {{ camp }} openapi > web/openapi.json
    npm --prefix web run codegen

# Licences, advisories and sources of all crates; needs `cargo install cargo-deny`
deny:
    cargo deny check

_portal: _web
    #!/usr/bin/env bash
    set -euo pipefail
    if [ ! -x {{ camp }} ]; then
        echo "Building the portal; the first time takes about seven minutes on two cores …" >&2
        cargo build -p cli
    else
        cargo build --quiet -p cli
    fi

# The front end, when its sources changed
_web: _node-modules
    #!/usr/bin/env bash
    set -euo pipefail
    cd web
    now=$(find index.html package.json tsconfig.json vite.config.ts src public -type f -print0 |
        LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
    stamp=node_modules/.camp-built-from
    if [ ! -e dist/index.html ] || [ "$(cat $stamp 2>/dev/null)" != "$now" ]; then
        echo "Building the front end …" >&2
        rm -f $stamp
        npm run --silent build >&2
        echo "$now" > $stamp
    fi

# The front end's packages, when the lock file changed
_node-modules: _tools
    #!/usr/bin/env bash
    set -euo pipefail
    cd web
    now=$(sha256sum package-lock.json)
    stamp=node_modules/.camp-installed-from
    if [ "$(cat $stamp 2>/dev/null)" != "$now" ]; then
        echo "Fetching the front end's packages …" >&2
        npm ci --no-audit --no-fund --loglevel=error >&2
        echo "$now" > $stamp
    fi

_tools:
    #!/usr/bin/env bash
    set -euo pipefail
    missing() { echo "$1" >&2; exit 1; }
    command -v cargo > /dev/null || missing "There is no Rust toolchain. Install one from https://rustup.rs, open a new shell and try again."
    command -v cc > /dev/null || missing "There is no C compiler. On Debian: sudo apt install build-essential"
    command -v node > /dev/null || missing "There is no Node. Install version 20 or newer from https://nodejs.org and try again."
    major=$(node -p 'process.versions.node.split(".")[0]')
    [ "$major" -ge 20 ] || missing "This is Node $major. Please install version 20 or newer from https://nodejs.org and try again."

# PostgreSQL and Chromium for the tests, when they are missing
_packages:
    #!/usr/bin/env bash
    set -euo pipefail
    needed=()
    ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null || needed+=(postgresql)
    [ -n "${CHROMIUM:-}" ] || command -v chromium > /dev/null || needed+=(chromium)
    [ ${#needed[@]} -eq 0 ] && exit 0
    echo "Installing for the tests: ${needed[*]}" >&2
    if ! command -v apt-get > /dev/null; then
        echo "Please install PostgreSQL 15 or newer and Chromium, then try again." >&2
        exit 1
    fi
    root=()
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    "${root[@]}" apt-get update -qq >&2
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${needed[@]}" >&2

# Runs a command beside a PostgreSQL server of its own, thrown away afterwards
[no-exit-message]
[positional-arguments]
_with-postgres +COMMAND:
    #!/usr/bin/env bash
    set -euo pipefail
    bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1) || true
    [ -n "$bin" ] || bin=$(dirname "$(command -v initdb)")
    place=$(mktemp -d)
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

# Runs suites to their end and prints what passed and failed as the last line
[no-exit-message]
[positional-arguments]
_suite +SUITES: _web
    #!/usr/bin/env bash
    set -uo pipefail
    passed=0 failed=0
    logs=$(mktemp -d)
    trap 'rm -rf "$logs"' EXIT

    # A check that is right or wrong.
    check() {
        printf '\n── %s\n' "$1"
        if "${@:2}"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    }
    # A runner that counts for itself; one that fails without a count counts as one failure.
    counted() {
        local status=$1 ok=$2 bad=$3
        if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
        passed=$((passed + ok)) failed=$((failed + bad))
    }
    tests() {
        printf '\n── cargo test\n'
        cargo test --workspace --no-fail-fast 2>&1 | tee "$logs/cargo"
        local status=${PIPESTATUS[0]}
        local sums
        sums=$(awk '/^test result:/ { p += $4; f += $6; i += $8 } END { print p + 0, f + 0, i + 0 }' "$logs/cargo")
        read -r ok bad ignored <<< "$sums"
        [ "$ignored" -eq 0 ] || echo "Attention: $ignored tests are marked as ignored."
        counted "$status" "$ok" "$bad"

        printf '\n── npm test\n'
        (cd web && npx vitest run --reporter=default --reporter=json --outputFile.json="$logs/vitest.json")
        status=$?
        read -r ok bad skipped <<< "$(node -e '
            const r = require(process.argv[1]);
            console.log(r.numPassedTests, r.numFailedTests, r.numPendingTests + r.numTodoTests)' "$logs/vitest.json" 2>/dev/null || echo 0 0 0)"
        [ "$skipped" -eq 0 ] || echo "Attention: $skipped tests of the front end are skipped."
        counted "$status" "$ok" "$bad"

        printf '\n── journeys in the browser\n'
        cargo build --quiet -p cli
        (cd web && CHROMIUM="${CHROMIUM:-$(command -v chromium)}" PLAYWRIGHT_JSON_OUTPUT_NAME="$logs/playwright.json" \
            npx playwright test --reporter=list,json)
        status=$?
        read -r ok bad skipped <<< "$(node -e '
            const { stats } = require(process.argv[1]);
            console.log(stats.expected + stats.flaky, stats.unexpected, stats.skipped)' "$logs/playwright.json" 2>/dev/null || echo 0 0 0)"
        [ "$skipped" -eq 0 ] || echo "Attention: $skipped journeys are skipped."
        counted "$status" "$ok" "$bad"
    }
    clippy() {
        # Through `build`, because `check` would compile every dependency a second time.
        RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo build --workspace --all-targets 2>&1 | tee "$logs/clippy" >&2
        [ "${PIPESTATUS[0]}" -eq 0 ] && ! grep -q '^warning' "$logs/clippy"
    }
    lint() {
        check "cargo fmt" cargo fmt --all --check
        check "clippy" clippy
        check "oxlint" npm --prefix web run --silent lint
        check "types" npm --prefix web exec -- tsc --noEmit -p web
        check "bundle budgets" npm --prefix web run --silent budgets
    }
    contract() {
        cargo build --quiet -p cli && {{ camp }} openapi > "$logs/openapi.json" && cmp "$logs/openapi.json" web/openapi.json
    }
    types() {
        (cd web/codegen && npx openapi-typescript ../openapi.json --output "$logs/schema.gen.ts" > /dev/null) &&
            cmp "$logs/schema.gen.ts" web/src/api/schema.gen.ts
    }
    drift() {
        check "web/openapi.json is what the code says (else: just codegen)" contract
        check "web/src/api/schema.gen.ts is what the contract says (else: just codegen)" types
    }
    for suite in "$@"; do "$suite"; done
    printf '\n%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
