# What the launcher and the scripts of tools/build share: words, the JDK, modules, locks, Maven; and with packages.sh the packages.
# shellcheck shell=bash source-path=SCRIPTDIR

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../.." && pwd)
readonly root
source "$root/tools/build/lib/packages.sh"

readonly JDK_MIN=25
# Lines that Maven adds to an error and that explain nothing.
readonly NOISE='Tests run:|\[Help 1\]|re-run Maven|Re-run Maven|For more information|See .*surefire-reports|See dump files|correcting the problems|mvn <args>|COMPILATION ERROR|^\[ERROR\][[:space:]]+at |Command was|^\[ERROR\] {10}|^\[ERROR\] *$'

say() { printf 'fairlead: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# For what is wrong with the command line.
refuse() {
    say "$*"
    exit 2
}

# Prints the feature release of the JDK in a folder; fails where there is none.
jdk_release() {
    [[ -x $1/bin/java && -x $1/bin/javac ]] || return 1
    local line
    # Every JDK names its version in this file, which is read in no time, while `java -version` starts a JVM.
    while read -r line; do
        if [[ $line =~ ^JAVA_VERSION=\"([0-9]+) ]]; then
            printf '%s\n' "${BASH_REMATCH[1]}"
            return 0
        fi
    done 2>/dev/null <"$1/release"
    return 1
}

# Sets java_home: JAVA_HOME and PATH are choices of the user and come first; among the installed ones the oldest that
# will do wins, since that is the release which the tests run on.
find_jdk() {
    local candidate release best=
    local -a chosen=()
    [[ -n ${JAVA_HOME:-} ]] && chosen+=("$JAVA_HOME")
    if candidate=$(type -P java); then
        candidate=$(readlink -f -- "$candidate")
        chosen+=("${candidate%/bin/java}")
    fi
    for candidate in ${chosen[@]+"${chosen[@]}"}; do
        if release=$(jdk_release "$candidate") && ((release >= JDK_MIN)); then
            java_home=$candidate
            return
        fi
    done
    for candidate in /usr/lib/jvm/* "${HOME:-/root}"/.sdkman/candidates/java/*; do
        if release=$(jdk_release "$candidate") && ((release >= JDK_MIN)) && ((release < ${best:-1000})); then
            best=$release
            java_home=$candidate
        fi
    done
    [[ -n $best ]] || fail "no JDK $JDK_MIN or newer in JAVA_HOME, PATH, /usr/lib/jvm or ~/.sdkman/candidates/java;" \
        "install the package temurin-25-jdk of Eclipse Adoptium, or with sdkman: sdk install java 25-tem"
}

# Prints the folders of all modules, as the root's pom.xml names them.
modules() { sed -n 's,^ *<module>\(.*\)</module> *$,\1,p' "$root/pom.xml"; }

# Prints the folder of a module that is named by its folder or by the last part of it.
module_folder() {
    local folder
    while IFS= read -r folder; do
        if [[ $folder == "$1" || ${folder##*/} == "$1" ]]; then
            printf '%s\n' "$folder"
            return
        fi
    done < <(modules)
    refuse "no module $1; there are: $(modules | sed 's,.*/,,' | paste -sd ' ')"
}

# Copies what a build needs into another folder: copy_tree FOLDER, or copy_tree FOLDER main for the sources without the tests.
copy_tree() {
    local module
    local -a files=(fairlead pom.xml LICENSE config .mvn tools/build/lib tools/build/config)
    while IFS= read -r module; do
        files+=("$module/pom.xml")
        [[ ! -d $root/$module/src/${2:-} ]] || files+=("$module/src/${2:-}")
    done < <(modules)
    (cd -- "$root" && cp -r --parents -t "$1" -- "${files[@]}")
}

make_target_folder() {
    mkdir -p "$root/target" 2>/dev/null || true
    [[ -d $root/target && -w $root/target ]] ||
        fail "cannot write to $root/target; run as the owner of that folder, or in a clone of your own"
}

# Holds a lock file until this process ends or release_lock: fd 9 names it.
take_lock() {
    exec 9>"$root/target/$1"
    flock --nonblock 9 || {
        say "waiting for the other $2 in $root to end"
        flock 9
    }
}

release_lock() { exec 9>&-; }

# Maven may as well come from elsewhere than a package, so what counts is the command.
ensure_maven() {
    type -P mvn >/dev/null && return
    ensure_packages maven
    hash -r
    type -P mvn >/dev/null || fail "needs mvn in PATH, though the package maven is installed: PATH=$PATH"
}

maven() {
    (cd -- "$root" && JAVA_HOME=$java_home mvn --batch-mode -Dstyle.color=never "$@")
}

# Prints from a log of Maven what went wrong, and ends: fail_build LOG, which is relative to the root.
fail_build() {
    { grep -E '^\[(ERROR|WARNING)\]' "$root/$1" || tail -n 3 "$root/$1"; } | grep -vE "$NOISE" | awk '!seen[$0]++' | head -n 30 >&2 || true
    fail "the build failed; $1 has it all"
}

check_version() {
    [[ $1 =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ && $1 != *-SNAPSHOT ]] ||
        refuse "not a version to release: '$1', such as 1.2.3 or 1.2.3-rc.1"
}
