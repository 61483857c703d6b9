package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Diagnosis.Level;
import io.fairlead.spi.host.HostFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What hosts say of the reading of other processes, of memory, and of what is missing, on hosts that are made up. */
final class ReadPermissionTest {
    @TempDir
    private Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file.substring(1));
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private ReadPermission permission() {
        return new ReadPermission(new HostFiles(root));
    }

    @ParameterizedTest
    @CsvSource({
        "'',  0000000000000000, OK,      no ptrace scope is set",
        "0,   0000000000000000, OK,      ptrace_scope=0",
        "1,   0000000000000000, WARNING, parents read their children alone",
        "1,   0000000000080000, OK,      CAP_SYS_PTRACE",
        "2,   0000000000000000, WARNING, nobody read others",
        "2,   000001ffffffffff, OK,      CAP_SYS_PTRACE",
        "3,   000001ffffffffff, WARNING, ptrace_scope=3 forbids it",
        "odd, 0000000000000000, WARNING, ptrace_scope=odd forbids it"
    })
    void shouldSayWhatYamaAllows(String scope, String capabilities, Level level, String text) throws IOException {
        write("/proc/sys/kernel/yama/ptrace_scope", scope);
        write("/proc/self/status", "Name:\tjava\nCapEff:\t" + capabilities + "\n");
        Diagnosis diagnosis = permission().diagnose(0);
        assertEquals(level, diagnosis.level());
        assertTrue(diagnosis.finding().contains(text), diagnosis::finding);
    }

    @Test
    void shouldNameTheFilterThatForbidsTheCall() throws IOException {
        write("/proc/self/status", "Seccomp:\t2\n");
        Diagnosis diagnosis = permission().diagnose(Libc.NO_PERMISSION);
        assertEquals(Level.WARNING, diagnosis.level());
        assertTrue(diagnosis.finding().contains("errno=1, seccomp mode=2"), diagnosis::finding);
    }

    @Test
    void shouldGiveThePathItsReason() throws IOException {
        assertEquals(
                "the listener cannot read the connector's memory: process_vm_readv: errno=1",
                permission().refusal(Libc.NO_PERMISSION));
        assertEquals(
                "the listener cannot read the connector's memory: process_vm_readv: errno=38, the kernel or a seccomp filter has no"
                        + " such call",
                permission().refusal(Libc.NO_SUCH_CALL));
        write("/proc/sys/kernel/yama/ptrace_scope", "1\n");
        assertEquals(
                "the listener may not read the connector's memory, kernel.yama.ptrace_scope=1; shm.readers=true at both sides"
                        + " allows it",
                permission().refusal(Libc.NO_PERMISSION));
    }

    @Test
    void shouldTellWhatKeepsMemoryFromBeingShared() throws IOException {
        write("/proc/meminfo", "MemAvailable: 1048576 kB\n");
        List<Diagnosis> good = new ShmDiagnosis(new HostFiles(root), () -> "", () -> 0).run();
        assertTrue(good.stream().allMatch(finding -> finding.level() == Level.OK), good::toString);
        assertEquals(
                List.of("shm files", "shm memory", "shm cma"),
                good.stream().map(Diagnosis::name).toList());
        List<Diagnosis> none = new ShmDiagnosis(new HostFiles(root), () -> "memfd_create: errno=1", () -> 0).run();
        assertEquals(1, none.size());
        assertTrue(
                none.getFirst().finding().startsWith("memfd_create: errno=1, so processes of this host talk over TCP"));
        write("/proc/meminfo", "MemAvailable: 1024 kB\n");
        List<Diagnosis> poor = new ShmDiagnosis(new HostFiles(root), () -> "", () -> 1).run();
        assertEquals(
                List.of(Level.OK, Level.WARNING, Level.WARNING),
                poor.stream().map(Diagnosis::level).toList());
    }
}
