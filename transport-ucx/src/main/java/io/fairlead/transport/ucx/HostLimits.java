package io.fairlead.transport.ucx;

import io.fairlead.spi.Diagnosis;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The limits of a host and container that affect UCX. */
final class HostLimits {
    private static final String MEMLOCK = "locked memory";
    private static final String SHM = "ucx shared memory";
    private static final String CMA = "ucx cma";
    private static final String THREADS = "ucx threads";

    private static final int CAP_IPC_LOCK = 14;
    private static final int CAP_SYS_PTRACE = 19;
    private static final Pattern MEMLOCK_LINE = Pattern.compile("(?m)^Max locked memory +(\\S+) +(\\S+)");
    private static final Pattern TASKS_LINE = Pattern.compile("(?m)^Max processes +(\\S+)");
    private static final long KIB = 1024;
    private static final long MIB = KIB * KIB;

    /** The minimum for the buffers of one endpoint over RDMA and a small region. */
    private static final long MEMLOCK_MIN = 64 * MIB;

    /** The minimum for two workers: on UCX 1.13 each used 4.1 MiB. */
    private static final long SHM_MIN = 10 * MIB;

    /** A container's default, sufficient for a few workers and small regions. */
    private static final long SHM_ENOUGH = 64 * MIB;

    private final UcxHost host;

    HostLimits(UcxHost host) {
        this.host = host;
    }

    Diagnosis lockedMemory(boolean rdma) {
        Matcher line =
                MEMLOCK_LINE.matcher(host.files().text("/proc/self/limits").orElse(""));
        if (!line.find()) {
            return Diagnosis.ok(MEMLOCK, "the limit is not known, since /proc/self/limits cannot be read");
        }
        String soft = line.group(1);
        if (soft.equals("unlimited")) {
            return Diagnosis.ok(MEMLOCK, "unlimited");
        }
        long limit = Long.parseLong(soft);
        String finding = "limit=" + bytes(limit);
        if (isCapable(CAP_IPC_LOCK)) {
            return Diagnosis.ok(MEMLOCK, finding + ", which does not bind a process with CAP_IPC_LOCK");
        }
        if (!rdma) {
            return Diagnosis.ok(MEMLOCK, finding + ", which binds RDMA devices only, and here is none");
        }
        String remedy = "raise it to unlimited: ulimit -l in a shell, memlock in /etc/security/limits.conf,"
                + " LimitMEMLOCK=infinity for systemd, --ulimit memlock=-1 for a container";
        return limit < MEMLOCK_MIN
                ? Diagnosis.failure(
                        MEMLOCK,
                        finding + ", too little for RDMA, which needs " + bytes(MEMLOCK_MIN) + " and more",
                        remedy)
                : Diagnosis.warning(MEMLOCK, finding + " bounds the regions that RDMA can reach", remedy);
    }

    Diagnosis sharedMemory() {
        Optional<UcxHost.Space> known = host.space().apply(host.files().path("/dev/shm"));
        if (known.isEmpty()) {
            return Diagnosis.failure(
                    SHM,
                    "/dev/shm cannot be looked at, and UCX keeps its queues there",
                    "mount it with: mount -t tmpfs tmpfs /dev/shm");
        }
        UcxHost.Space space = known.get();
        if (!space.writable()) {
            return Diagnosis.failure(
                    SHM,
                    "/dev/shm cannot be written by this process, and UCX keeps its queues there",
                    "if it is mounted read-only: mount -o remount,rw /dev/shm; else let this user write to it");
        }
        String finding = "/dev/shm: size=" + bytes(space.total()) + ", free=" + bytes(space.free());
        String remedy = "enlarge it with: mount -o remount,size=2g /dev/shm; for a container: --shm-size=2g;"
                + " and remove what is left over in it";
        if (space.free() < SHM_MIN) {
            return Diagnosis.failure(
                    SHM,
                    finding + ", too little for UCX, which needs " + bytes(SHM_MIN) + " for a pair of workers",
                    remedy);
        }
        return space.free() < SHM_ENOUGH
                ? Diagnosis.warning(SHM, finding + ", which a few workers fill", remedy)
                : Diagnosis.ok(SHM, finding);
    }

    /**
     * Whether one more thread can be started. UCX starts one of its own with its first worker, and ends the process if
     * it cannot.
     */
    Diagnosis threads() {
        int error = host.thread().get();
        if (error == 0) {
            return Diagnosis.ok(THREADS, "more can be started");
        }
        Matcher line = TASKS_LINE.matcher(host.files().text("/proc/self/limits").orElse(""));
        return Diagnosis.failure(
                THREADS,
                "no thread can be started, and UCX needs one: pthread_create=" + error + ", ulimit -u="
                        + (line.find() ? line.group(1) : "unknown") + ", pids.max="
                        + host.files().text("/sys/fs/cgroup/pids.max").orElse("unknown"),
                "raise the limit: ulimit -u in a shell, nproc in /etc/security/limits.conf, LimitNPROC and TasksMax for"
                        + " systemd, --pids-limit for a container");
    }

    /**
     * Whether processes of this user may read each other, as UCX's cma does for long messages within a host. If the
     * kernel forbids it, UCX leaves cma out by itself, so there is nothing to fix.
     */
    Diagnosis tracing() {
        String scope = host.files().text("/proc/sys/kernel/yama/ptrace_scope").orElse("");
        return Diagnosis.ok(
                CMA,
                switch (scope) {
                    case "" -> "processes of one user may read and trace each other: no ptrace scope is set";
                    case "0" -> "processes of one user may read and trace each other: ptrace_scope=0";
                    case "1" ->
                        "ptrace_scope=1: UCX lets every process of this user read and trace this one;"
                                + " a ucx.tls without cma avoids that";
                    default ->
                        "ptrace_scope=" + scope + " forbids it"
                                + (isCapable(CAP_SYS_PTRACE) ? ", but not to this process" : "")
                                + ": UCX's long messages within a host go through its queues where it is forbidden";
                });
    }

    private boolean isCapable(int capability) {
        String effective = host.files().field("/proc/self/status", "CapEff:").orElse("0");
        return effective.matches("[0-9a-fA-F]{1,16}") && (Long.parseUnsignedLong(effective, 16) >> capability & 1) == 1;
    }

    private static String bytes(long count) {
        if (count >= KIB * MIB) {
            return String.format(Locale.ROOT, "%.1f GiB", (double) count / (KIB * MIB));
        }
        return count >= MIB ? count / MIB + " MiB" : count / KIB + " KiB";
    }
}
