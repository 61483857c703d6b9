# Debian packages that the launcher and the scripts of tools/build need. common.sh sources it.
# shellcheck shell=bash

# Installs the Debian packages that are missing, or names the one command that would.
ensure_packages() {
    local package
    local -a missing=()
    for package in "$@"; do
        [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    if ! type -P apt-get >/dev/null; then
        fail "needs ${missing[*]}; install it as your system does, then run this again"
    fi
    if ((EUID != 0)); then
        fail "needs ${missing[*]}; run: sudo apt-get install -y --no-install-recommends ${missing[*]}"
    fi
    install_packages "${missing[@]}" ||
        fail "apt-get install ${missing[*]} failed; target/apt.log says why: $(tail -n 1 "$root/target/apt.log")"
}

# Installs Debian packages, with what apt-get says in a log; fails soon where there is no network.
install_packages() {
    local -a apt=(apt-get -q -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=120)
    say "installing $*"
    {
        DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y --no-install-recommends "$@" ||
            { "${apt[@]}" update && DEBIAN_FRONTEND=noninteractive \
                "${apt[@]}" install -y --no-install-recommends "$@"; }
    } >"$root/target/apt.log" 2>&1
}

# Whether the dynamic linker finds UCX, wherever it comes from. PATH of ordinary users leaves ldconfig out.
has_ucx() {
    local folder
    local -a folders=()
    IFS=: read -r -a folders <<<"${LD_LIBRARY_PATH:-}"
    for folder in ${folders[@]+"${folders[@]}"}; do
        [[ -e $folder/libucp.so.0 ]] && return 0
    done
    PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | grep 'libucp\.so\.0 ' >/dev/null
}

# Installs UCX where that is possible and it is missing; else says in one line how to get it. Never fails: without UCX there
# are shared memory and TCP.
offer_ucx() {
    local hint
    local -a wanted=(libucx0)
    # JUCX's native library is for this platform alone.
    [[ $(uname -sm) == 'Linux x86_64' ]] || return 0
    case ${1:-} in
        test) type -P ucx_info >/dev/null || wanted+=(ucx-utils) ;;
        bench) type -P ucx_perftest >/dev/null || wanted+=(ucx-utils) ;;
    esac
    if has_ucx; then
        wanted=("${wanted[@]:1}")
    fi
    ((${#wanted[@]})) || return 0
    hint="without UCX, so without RDMA; for it run:"
    [[ ${1:-} != test ]] || hint="without UCX, so without the tests over it; for them run:"
    [[ ${1:-} != bench ]] || hint="without UCX, so without its C program and what else runs over it; for them run:"
    [[ ${wanted[0]} == libucx0 ]] || hint="without UCX's own programs; for them run:"
    hint="$hint sudo apt-get install -y --no-install-recommends ${wanted[*]}"
    if ! type -P apt-get >/dev/null; then
        say "${hint%% run:*} install UCX 1.13 or newer (${wanted[*]} on Debian) as your system does"
    elif ((EUID != 0)) || ! mkdir -p "$root/target" 2>/dev/null || [[ ! -w $root/target ]]; then
        say "$hint"
    elif [[ -n $(find "$root/target/.no-ucx" -mmin -60 2>/dev/null) ]]; then
        # Not at every start: without a network, apt-get takes its time to fail.
        say "$hint"
    else
        take_lock .ucx-lock installation
        if ! install_packages "${wanted[@]}"; then
            touch -- "$root/target/.no-ucx"
            say "that failed, and target/apt.log says why; $hint"
        fi
        release_lock
    fi
}

# Whether a command line is one that sends messages, and either asks for UCX or for RDMA, or may take RDMA and has a device for it here.
# Between processes of one host and over TCP nothing has to be installed.
wants_ucx() {
    local words=" ${*:2} "
    local asked='[ =](--policy|--transport|policy)[= ](ucx|require-rdma) '
    local other='[ =](--policy|--transport|policy)[= ](shm|tcp|tcp-only) '
    case ${1:-} in
        demo | pub | sub | cache | train | perf) ;;
        *) return 1 ;;
    esac
    [[ ! $words =~ \ (-h|--help)\  ]] || return 1
    [[ ! $words =~ $asked ]] || return 0
    [[ ! $words =~ $other ]] || return 1
    [[ ${FAIRLEAD_POLICY:-} =~ ^(ucx|require-rdma)$ ]] || compgen -G '/sys/class/infiniband/*' >/dev/null
}

