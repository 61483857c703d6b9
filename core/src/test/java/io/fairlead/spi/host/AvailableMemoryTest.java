package io.fairlead.spi.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limits of control groups, in trees of files as the kernel shows them. */
class AvailableMemoryTest {
    private static final long MIB = 1 << 20;

    @TempDir
    private Path root;

    private AvailableMemory memory;

    @BeforeEach
    void readTheFolder() {
        memory = new AvailableMemory(new HostFiles(root));
    }

    @Test
    void shouldTakeTheLeastOfHostAndControlGroups() throws IOException {
        assertEquals(Long.MAX_VALUE, memory.bytes(), "nothing says");
        write("/proc/meminfo", "MemTotal:  100 kB\nMemAvailable:   64 kB\n");
        assertEquals(64 << 10, memory.bytes());
        write("/proc/self/cgroup", "0::/app\n");
        write("/sys/fs/cgroup/app/memory.max", "max\n");
        write("/sys/fs/cgroup/app/memory.current", "4096\n");
        assertEquals(64 << 10, memory.bytes(), "a group without a limit");
        write("/sys/fs/cgroup/app/memory.max", "20480\n");
        assertEquals(16 << 10, memory.bytes());
        write("/sys/fs/cgroup/app/memory.stat", "anon 1\ninactive_file 4096\n");
        assertEquals(20 << 10, memory.bytes());
        write("/sys/fs/cgroup/memory.max", "8192\n");
        write("/sys/fs/cgroup/memory.current", "9000\n");
        assertEquals(0, memory.bytes(), "a group that has more than its limit");
    }

    @Test
    void shouldTakeTheLimitsOfTheGroupsAboveItsOwn() throws IOException {
        write("/proc/self/cgroup", "0::/machine.slice/pod/app\n");
        write("/proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n");
        limit("/sys/fs/cgroup/machine.slice/pod/app", 100 * MIB, MIB);
        limit("/sys/fs/cgroup/machine.slice/pod", 50 * MIB, 20 * MIB);
        assertEquals(30 * MIB, memory.bytes());
        limit("/sys/fs/cgroup/machine.slice", 40 * MIB, 30 * MIB);
        assertEquals(10 * MIB, memory.bytes());
    }

    @Test
    void shouldTakeTheLimitOfItsGroupInAnOldHierarchy() throws IOException {
        write("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/process/one\n0::/\n");
        write("/proc/self/mountinfo", """
                31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
                32 31 0:29 / /sys/fs/cgroup/cpuset rw shared:1 - cgroup cgroup rw,cpuset
                35 31 0:32 / /groups/memory rw,relatime shared:2 - cgroup cgroup rw,cpu,memory
                41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
                """);
        oldLimit("/groups/memory/process/one", 64 * MIB, 14 * MIB);
        oldLimit("/groups/memory/process", 9223372036854771712L, 200 * MIB);
        assertEquals(50 * MIB, memory.bytes());
        write("/groups/memory/process/one/memory.stat", "inactive_file 1\ntotal_inactive_file 2097152\n");
        assertEquals(52 * MIB, memory.bytes());
        oldLimit("/groups/memory/process", 210 * MIB, 200 * MIB);
        assertEquals(10 * MIB, memory.bytes());
    }

    @Test
    void shouldTakeTheLimitOfAGroupThatIsMountedInAContainer() throws IOException {
        write("/proc/self/cgroup", "4:memory:/docker/abc/inner\n");
        write("/proc/self/mountinfo", "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
        oldLimit("/sys/fs/cgroup/memory/inner", 64 * MIB, 14 * MIB);
        oldLimit("/sys/fs/cgroup/memory", 40 * MIB, 30 * MIB);
        assertEquals(10 * MIB, memory.bytes());
        write("/proc/self/cgroup", "4:memory:/elsewhere\n0::/../outside\n");
        assertEquals(10 * MIB, memory.bytes(), "a group that is not below what is mounted");
    }

    @Test
    void shouldNameTheShortage() throws IOException {
        write("/proc/meminfo", "MemAvailable: 102400 kB\n");
        assertEquals(Optional.empty(), memory.shortage(90 * MIB));
        String shortage = memory.shortage(100 * MIB).orElseThrow();
        assertTrue(shortage.contains("needed=104857600 bytes"), shortage);
        assertTrue(shortage.contains("available=104857600 bytes"), shortage);
        assertTrue(memory.shortage(MIB).isEmpty());
    }

    /** Many short allocations take as much as a long one. */
    @Test
    void shouldCheckShortAllocationsTogether() throws IOException {
        write("/proc/meminfo", "MemAvailable: 0 kB\n");
        for (int i = 0; i < 4; i++) {
            assertEquals(Optional.empty(), memory.shortage(MIB / 4), "as much as is always taken to be there");
        }
        assertTrue(memory.shortage(1).isPresent());
        assertTrue(memory.shortage(1).isPresent(), "a shortage does not end by itself");
        assertTrue(memory.shortage(Long.MAX_VALUE).isPresent());
        write("/proc/meminfo", "MemAvailable: 102400 kB\n");
        assertEquals(Optional.empty(), memory.shortage(1));
        write("/proc/meminfo", "MemAvailable: 0 kB\n");
        assertEquals(Optional.empty(), memory.shortage(MIB));
        assertTrue(memory.shortage(MIB).isPresent());
    }

    private void limit(String folder, long limit, long used) throws IOException {
        write(folder + "/memory.max", limit + "\n");
        write(folder + "/memory.current", used + "\n");
    }

    private void oldLimit(String folder, long limit, long used) throws IOException {
        write(folder + "/memory.limit_in_bytes", limit + "\n");
        write(folder + "/memory.usage_in_bytes", used + "\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file.substring(1));
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
