package io.fairlead.transport.shm;

import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.host.HostFiles;

/**
 * Whether the kernel lets a process read the memory of another one of its user, which limits forbid it, and how to lift
 * them.
 */
final class ReadPermission {
    private static final String NAME = "shm cma";
    private static final String SCOPE = "/proc/sys/kernel/yama/ptrace_scope";
    private static final String IN_PARTS =
            ": messages longer than endpoint.eager-max then go through the rings in parts, with two copies";
    private static final int CAP_SYS_PTRACE = 19;

    private final HostFiles files;

    ReadPermission(HostFiles files) {
        this.files = files;
    }

    /** Why a listener may not read a connector's memory, as text for both. */
    String refusal(int error) {
        String scope = scope();
        if (error == Libc.NO_PERMISSION && !scope.isEmpty() && !scope.equals("0")) {
            return "the listener may not read the connector's memory, kernel.yama.ptrace_scope=" + scope
                    + (scope.equals("1") ? "; shm.readers=true at both sides allows it" : "");
        }
        return "the listener cannot read the connector's memory: process_vm_readv: errno=" + error
                + (error == Libc.NO_SUCH_CALL ? ", the kernel or a seccomp filter has no such call" : "");
    }

    private String scope() {
        return files.text(SCOPE).orElse("");
    }

    /**
     * The finding about this host.
     *
     * @param error the result of a try on this process itself: the error number, or 0
     */
    Diagnosis diagnose(int error) {
        if (error != 0) {
            String filter = files.field("/proc/self/status", "Seccomp:").orElse("unknown");
            return Diagnosis.warning(
                    NAME,
                    "the kernel refuses process_vm_readv: errno=" + error + ", seccomp mode=" + filter + IN_PARTS,
                    "let the container's seccomp profile allow process_vm_readv");
        }
        String scope = scope();
        return switch (scope) {
            case "" -> Diagnosis.ok(NAME, "processes of one user may read each other: no ptrace scope is set");
            case "0" -> Diagnosis.ok(NAME, "processes of one user may read each other: ptrace_scope=0");
            case "1", "2" ->
                isCapable()
                        ? Diagnosis.ok(
                                NAME, "ptrace_scope=" + scope + ", which does not bind a process with CAP_SYS_PTRACE")
                        : Diagnosis.warning(
                                NAME,
                                "ptrace_scope=" + scope + " lets "
                                        + (scope.equals("1")
                                                ? "parents read their children alone"
                                                : "nobody read others")
                                        + IN_PARTS,
                                scope.equals("1")
                                        ? "set shm.readers=true, which lets processes of this user read and trace this one"
                                        : "allow it with: sysctl -w kernel.yama.ptrace_scope=1, and set shm.readers=true");
            default ->
                Diagnosis.warning(
                        NAME,
                        "ptrace_scope=" + scope + " forbids it" + IN_PARTS,
                        "set kernel.yama.ptrace_scope to 1 in /etc/sysctl.d and restart the host, since 3 holds until then");
        };
    }

    private boolean isCapable() {
        String effective = files.field("/proc/self/status", "CapEff:").orElse("0");
        return effective.matches("[0-9a-fA-F]{1,16}")
                && (Long.parseUnsignedLong(effective, 16) >> CAP_SYS_PTRACE & 1) == 1;
    }
}
