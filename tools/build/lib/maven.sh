# What the scripts of tools/build that run Maven for developers share.
# shellcheck shell=bash source-path=SCRIPTDIR
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/common.sh"

# Refuses what Maven would answer with its help, long after the first download: check_maven_options ARGUMENT...
check_maven_options() {
    local argument
    for argument in "$@"; do
        case $argument in
            -D?* | -P?* | -T?* | -s?* | -o | -U | -X | -e | -q | -B | -V | --offline | --fail-fast | --fail-never | --fail-at-end | --no-transfer-progress) ;;
            -*) refuse "not an option of Maven that is passed on: $argument; those are -DNAME=VALUE, -PPROFILE, -TCOUNT, -sFILE, -o, -U, -X, -e, -q, -B, -V" ;;
            *) refuse "no argument belongs here: $argument; see --help" ;;
        esac
    done
}

# Lets through progress and failures; the log has the rest. (No awk: some hold lines back.)
concise() {
    local line
    local building='^\[INFO\] Building (Fairlead.*[^ ]) +[0-9][^ ]* +\[[0-9]+/[0-9]+\]$'
    local skipped='^\[INFO\] (Fairlead.*[^ .]) \.+ SKIPPED'
    local licence="^\[WARNING\] License: '(.*)' used by [0-9]+ dependencies:" refused=''
    local class='Tests run: ([0-9]+), Failures: ([0-9]+), Errors: ([0-9]+), Skipped: ([0-9]+), Time elapsed: ([0-9.]+) s.* -- in (.*)$'
    while IFS= read -r line; do
        if [[ $line =~ $building ]]; then
            printf '== %s\n' "${BASH_REMATCH[1]}"
        elif [[ $line =~ $class ]]; then
            printf '   %-52s %4d run %3d failed %3d skipped %8s s\n' "${BASH_REMATCH[6]##*.}" "${BASH_REMATCH[1]}" \
                $((BASH_REMATCH[2] + BASH_REMATCH[3])) "${BASH_REMATCH[4]}" "${BASH_REMATCH[5]}"
        elif [[ $line =~ $licence ]]; then
            refused=${BASH_REMATCH[1]}
        elif [[ -n $refused && $line =~ ^\ -.*\(([^\ ]*)\ -\  ]]; then
            # The licence and what has it come on lines of their own.
            printf '[ERROR] %s has the licence "%s", which is not in tools/build/config/licences.txt\n' "${BASH_REMATCH[1]}" "$refused"
        elif [[ $line =~ $skipped ]]; then
            printf '== %s: not reached\n' "${BASH_REMATCH[1]}"
        elif [[ $line == '[WARNING]'*.java:* || $line == '[ERROR] '* && ! $line =~ $NOISE ]]; then
            printf '%s\n' "$line"
        fi
    done
}

# Maven's own JVM, which ends after seconds: what C2 would compile it does not live to run. The forked javac and tests are without this.
readonly SHORT_LIVED='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'

# Runs Maven up to a phase for one module and those that it needs, in a folder that other builds leave alone: maven_module FOLDER ...
maven_module() {
    local module=$1
    shift
    MAVEN_OPTS="$SHORT_LIVED ${MAVEN_OPTS:-}" maven -Dfairlead.quick -Dfairlead.quick.folder=modules \
        --projects "$module" --also-make "$@"
}

# Compiles a module with its tests: compile_module FOLDER [MAVEN-OPTION...]
compile_module() {
    make_target_folder
    ensure_maven
    take_lock .modules-lock 'build of modules'
    maven_module "$1" --quiet -Dmaven.test.skip.exec=true test-compile "${@:2}" >"$root/target/modules.log" 2>&1 ||
        fail_build target/modules.log
}
