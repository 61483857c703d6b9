package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Diagnosis.Level;
import io.fairlead.spi.host.HostFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hosts that are made up, since the one that tests run on has neither devices nor limits. */
@Timeout(60)
final class UcxDiagnosisTest {
    private static final String PORT = "/sys/class/infiniband/mlx5_0/ports/1";
    private static final String GID = "0000:0000:0000:0000:0000:ffff:0a00:0001";
    private static final String EMPTY_GID = "fe80:0000:0000:0000:0000:0000:0000:0000";
    private static final long MIB = 1 << 20;

    @TempDir
    private Path root;

    private final Map<String, String> environment = new HashMap<>(Map.of("UCX_ERROR_SIGNALS", ""));
    private UcxLibrary library = new UcxLibrary("", 1, 13, 1, Set.of("ucp_memh_pack"));
    private Optional<String> information = Optional.empty();
    private Optional<UcxHost.Space> space = Optional.of(new UcxHost.Space(1024 * MIB, 1024 * MIB, true));
    private int threadError;
    private String jucx = "";

    @Test
    void shouldFindNothingWrongOnAHostWithoutDevices() {
        for (Diagnosis finding : run()) {
            assertEquals(Level.OK, finding.level(), finding::toString);
        }
        assertTrue(finding("rdma").finding().startsWith("no device"));
        assertTrue(finding("ucx symbols").finding().endsWith("ucp_memh_pack"));
    }

    @Test
    void shouldNotEvenOpenALibraryThatWouldTakeTheSignals() {
        environment.clear();
        library = UcxLibrary.unusable("must not be looked at");
        assertEquals(Level.FAILURE, finding("ucx signals").level());
        assertTrue(run().stream().noneMatch(finding -> finding.name().equals("ucx library")));
        environment.put("UCX_HANDLE_ERRORS", "none");
        assertEquals(Level.OK, finding("ucx signals").level());
    }

    @ParameterizedTest
    @CsvSource({"1.13.1, FAILURE", "1.19.1, FAILURE", "1.20.0, OK", "1.23.0, OK"})
    void shouldNeedNoVariableWhereUcxTakesNoSignals(String version, Level expected) throws IOException {
        environment.clear();
        write("/usr/lib/x86_64-linux-gnu/libucp.so.0", "\u007fELF A" + version + "\0");
        assertEquals(expected, finding("ucx signals").level());
        // The dynamic linker might take this one.
        environment.put("LD_LIBRARY_PATH", ":/opt/ucx/lib");
        write("/opt/ucx/lib/libucp.so.0", "1.18.1\0");
        assertEquals(Level.FAILURE, finding("ucx signals").level());
        Files.delete(root.resolve("opt/ucx/lib/libucp.so.0"));
        environment.put("UCX_HANDLE_ERRORS", "bt");
        assertEquals(Level.FAILURE, finding("ucx signals").level());
    }

    @ParameterizedTest
    @CsvSource({"63, true", "64, false"})
    void shouldNotEvenOpenALibraryThatEndsTheProcessOverTheHostsName(int length, boolean opened) throws IOException {
        write("/proc/sys/kernel/hostname", "h".repeat(length) + "\n");
        List<String> names = run().stream().map(Diagnosis::name).toList();
        assertEquals(opened, names.contains("ucx library"));
        if (!opened) {
            assertEquals(Level.FAILURE, finding("ucx host name").level());
            assertTrue(finding("ucx host name").finding().contains("length=64 bytes, limit=63 bytes"));
        }
    }

    @Test
    void shouldNotEvenOpenALibraryThatEndsTheProcessOverItsLog() {
        environment.put("UCX_LOG_FILE", root + "/absent/ucx.log");
        assertEquals(Level.FAILURE, finding("ucx log file").level());
        assertTrue(run().stream().noneMatch(finding -> finding.name().equals("ucx library")));
        environment.put("UCX_LOG_FILE", "file:" + root + "/ucx.log");
        assertTrue(run().stream().anyMatch(finding -> finding.name().equals("ucx library")));
    }

    @Test
    void shouldNameTheModuleThatUcxLacksForADevice() throws IOException {
        write("/usr/lib/x86_64-linux-gnu/ucx/libuct_cma.so.0", "");
        assertTrue(run().stream().noneMatch(finding -> finding.name().equals("ucx rdma")));
        device("ACTIVE", "InfiniBand");
        Diagnosis finding = finding("ucx rdma");
        assertEquals(Level.FAILURE, finding.level());
        assertTrue(finding.finding().contains("libuct_ib.so.0"), finding::toString);
        write("/usr/lib/x86_64-linux-gnu/ucx/libuct_ib.so.0", "");
        assertTrue(run().stream().noneMatch(other -> other.name().equals("ucx rdma")));
    }

    @ParameterizedTest
    @CsvSource({
        "'', off",
        "std, off",
        "stdout:more, off",
        "stderr, 'to UCX_LOG_FILE=stderr, level debug'",
        "/tmp/ucx.log, 'to UCX_LOG_FILE=/tmp/ucx.log, level debug'"
    })
    void shouldTellWhereUcxLogsAndKeepItOffStandardOutput(String file, String expected) {
        environment.put("UCX_LOG_LEVEL", "debug");
        assertTrue(finding("ucx log").finding().startsWith("off, "));
        environment.put("UCX_LOG_FILE", file);
        assertTrue(
                finding("ucx log").finding().startsWith(expected),
                () -> finding("ucx log").toString());
        assertEquals(expected.equals("off"), UcxLog.level(environment).equals("fatal"));
    }

    @Test
    void shouldNameThePackageOfALibraryThatIsMissingForADevice() throws IOException {
        device("ACTIVE", "InfiniBand");
        library = UcxLibrary.unusable("libucp.so.0 was not found");
        Diagnosis finding = finding("ucx library");
        assertEquals(Level.WARNING, finding.level());
        assertTrue(finding.remedy().contains("libucx0"), finding::toString);
    }

    @Test
    void shouldNotMissALibraryThatNoDeviceNeeds() {
        library = UcxLibrary.unusable("libucp.so.0 was not found");
        assertEquals(Level.OK, finding("ucx library").level());
    }

    @Test
    void shouldNameWhatKeepsJucxFromLoading() {
        jucx = "JUCX's native library cannot be loaded: from memory: refused";
        Diagnosis finding = finding("jucx");
        assertEquals(Level.FAILURE, finding.level());
        assertTrue(finding.finding().startsWith(jucx), finding::toString);
        assertTrue(finding.remedy().contains("java.io.tmpdir"), finding::toString);
    }

    @Test
    void shouldNotLoadJucxWithoutALibraryThatItCanUse() {
        library = UcxLibrary.unusable("libucp.so.0 was not found");
        assertTrue(run().stream().noneMatch(finding -> finding.name().equals("jucx")));
    }

    @Test
    void shouldFailWhereNoThreadCanBeStarted() throws IOException {
        assertEquals(Level.OK, finding("ucx threads").level());
        threadError = 11;
        limits("unlimited", "0");
        Files.writeString(
                root.resolve("proc/self/limits"), "Max processes             50                   60      processes\n");
        Files.createDirectories(root.resolve("sys/fs/cgroup"));
        Files.writeString(root.resolve("sys/fs/cgroup/pids.max"), "70\n");
        Diagnosis finding = finding("ucx threads");
        assertEquals(Level.FAILURE, finding.level());
        assertTrue(finding.finding().endsWith("pthread_create=11, ulimit -u=50, pids.max=70"), finding::toString);
        assertTrue(finding.remedy().contains("ulimit -u"), finding::toString);
    }

    @ParameterizedTest
    @CsvSource({"1, 12, FAILURE", "1, 13, OK", "1, 22, OK", "2, 0, FAILURE"})
    void shouldTakeUcxFromRelease13On(int major, int minor, Level expected) {
        library = new UcxLibrary("", major, minor, 0, Set.of());
        assertEquals(expected, finding("ucx library").level());
    }

    @Test
    void shouldFailWhereASymbolIsMissingThatTheTransportCalls() {
        library = new UcxLibrary("", 1, 14, 0, Set.of("ucp_get_nbx", "ucp_memh_pack"));
        Diagnosis finding = finding("ucx symbols");
        assertEquals(Level.FAILURE, finding.level());
        assertTrue(finding.finding().endsWith("calls: ucp_get_nbx"), finding::toString);
    }

    @Test
    void shouldFailWhereTheLoaderWouldNotPutUpWithAnOptionalSymbolMissing() {
        environment.put("LD_BIND_NOW", "1");
        assertEquals(Level.FAILURE, finding("ucx symbols").level());
        library = new UcxLibrary("", 1, 18, 1, Set.of());
        assertEquals(Level.OK, finding("ucx symbols").level());
    }

    @Test
    void shouldTellBuildFlagsOfTheSameVersionOnly() {
        assertTrue(finding("ucx build").finding().contains("not known"));
        information = Optional.of(information("# Version 1.13.1", 1, 1, 1));
        assertTrue(finding("ucx build").finding().startsWith("assertions on, parameter checks on"));
        information = Optional.of(information("# Library version: 1.13.1", 0, 0, 1));
        assertEquals(
                "assertions off, parameter checks off, threads on",
                finding("ucx build").finding());
        information = Optional.of(information("# Version 1.18.1", 1, 1, 1));
        assertTrue(finding("ucx build").finding().contains("ucx_info=1.18.1, library=1.13.1"));
        information = Optional.of(information("# Version 1.13.1", 0, 0, 0));
        assertEquals(Level.WARNING, finding("ucx build").level());
    }

    private static String information(String version, int asserts, int checks, int threads) {
        return version + "\n# Git branch ''\n#define ENABLE_ASSERT             " + asserts
                + "\n#define ENABLE_MT                 " + threads + "\n#define ENABLE_PARAMS_CHECK       " + checks
                + "\n";
    }

    @ParameterizedTest
    @CsvSource({
        "unlimited, 0, OK",
        "65536, 0, FAILURE",
        "67108863, 0, FAILURE",
        "67108864, 0, WARNING",
        "65536, 0000000000004000, OK"
    })
    void shouldJudgeLockedMemoryWhereThereIsADevice(String soft, String capabilities, Level expected)
            throws IOException {
        limits(soft, capabilities);
        assertEquals(Level.OK, finding("locked memory").level());
        device("ACTIVE", "InfiniBand");
        assertEquals(expected, finding("locked memory").level());
    }

    @ParameterizedTest
    @CsvSource({"9, FAILURE", "10, WARNING", "63, WARNING", "64, OK"})
    void shouldJudgeTheRoomInSharedMemory(long freeMib, Level expected) {
        space = Optional.of(new UcxHost.Space(64 * MIB, freeMib * MIB, true));
        Diagnosis finding = finding("ucx shared memory");
        assertEquals(expected, finding.level());
        assertTrue(finding.finding().startsWith("/dev/shm: size=64 MiB, free=" + freeMib + " MiB"), finding::toString);
    }

    @Test
    void shouldFailWhereSharedMemoryCannotBeWritten() {
        space = Optional.of(new UcxHost.Space(1024 * MIB, 1024 * MIB, false));
        Diagnosis finding = finding("ucx shared memory");
        assertEquals(Level.FAILURE, finding.level());
        assertTrue(finding.finding().startsWith("/dev/shm cannot be written"), finding::toString);
        assertTrue(finding.remedy().contains("remount,rw"), finding::toString);
    }

    @Test
    void shouldFailWithoutSharedMemory() {
        space = Optional.empty();
        assertEquals(Level.FAILURE, finding("ucx shared memory").level());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, read and trace each other: ptrace_scope=0",
        "1, 0, a ucx.tls without cma avoids that",
        "2, 0, ptrace_scope=2 forbids it:",
        "2, 0000000000080000, 'ptrace_scope=2 forbids it, but not to this process:'",
        "3, not-hex, ptrace_scope=3 forbids it:"
    })
    void shouldTellWhoMayTraceThisProcess(String scope, String capabilities, String shown) throws IOException {
        write("/proc/sys/kernel/yama/ptrace_scope", scope + "\n");
        limits("unlimited", capabilities);
        Diagnosis finding = finding("ucx cma");
        assertEquals(Level.OK, finding.level());
        assertTrue(finding.finding().contains(shown), finding::toString);
    }

    @Test
    void shouldTakeAnInfiniBandPortThatIsUp() throws IOException {
        device("ACTIVE", "InfiniBand");
        assertEquals(
                Diagnosis.ok("rdma mlx5_0:1", "InfiniBand ACTIVE/LinkUp, 100 Gb/sec (4X EDR), GIDs=1"),
                finding("rdma mlx5_0:1"));
    }

    @Test
    void shouldFailWhereTheOnlyPortIsDownAndWarnWhereAnotherIsUp() throws IOException {
        device("DOWN", "Ethernet");
        assertEquals(Level.FAILURE, finding("rdma mlx5_0:1").level());
        port("mlx5_0", "2", "4: ACTIVE", "InfiniBand", GID);
        assertEquals(Level.WARNING, finding("rdma mlx5_0:1").level());
        assertEquals(Level.OK, finding("rdma mlx5_0:2").level());
    }

    @Test
    void shouldAskForASubnetManagerWhereTheLinkIsUpAndThePortIsNot() throws IOException {
        device("INIT", "InfiniBand");
        assertTrue(finding("rdma mlx5_0:1").remedy().contains("opensm"));
    }

    @Test
    void shouldFailWithoutAGid() throws IOException {
        device("ACTIVE", "Ethernet");
        write(PORT + "/gids/0", EMPTY_GID);
        Diagnosis finding = finding("rdma mlx5_0:1");
        assertEquals(Level.FAILURE, finding.level());
        assertTrue(finding.finding().contains("no GID"), finding::toString);
    }

    @ParameterizedTest
    @CsvSource({"4171, WARNING, 2048", "4172, OK, 4172", "1500, WARNING, 1024", "9000, OK, 9000"})
    void shouldJudgeTheMtuOfRoce(int mtu, Level expected, String shown) throws IOException {
        device("ACTIVE", "Ethernet");
        roce("RoCE v2");
        write("/sys/class/net/eth7/mtu", mtu + "\n");
        Diagnosis finding = finding("rdma mlx5_0:1");
        assertEquals(expected, finding.level(), finding::toString);
        assertTrue(finding.finding().contains(shown), finding::toString);
    }

    @Test
    void shouldTellAnMtuThatIsNotKnown() throws IOException {
        device("ACTIVE", "Ethernet");
        roce("RoCE v2");
        assertTrue(finding("rdma mlx5_0:1").finding().endsWith("MTU not known"));
    }

    @Test
    void shouldWarnOfRoceThatCannotBeRouted() throws IOException {
        device("ACTIVE", "Ethernet");
        roce("IB/RoCE v1");
        assertEquals(Level.WARNING, finding("rdma mlx5_0:1").level());
    }

    @Test
    void shouldSayThatUcxRefusesIwarp() throws IOException {
        write("/sys/class/infiniband/siw0/node_type", "4: RNIC\n");
        Diagnosis finding = finding("rdma siw0");
        assertEquals(Level.WARNING, finding.level());
        assertTrue(finding.finding().startsWith("iWARP: UCX refuses it"), finding::toString);
        assertEquals(Level.OK, finding("locked memory").level());
    }

    @Test
    void shouldFailWhereTheContainerWasNotGivenTheDevice() throws IOException {
        device("ACTIVE", "InfiniBand");
        Files.delete(root.resolve("dev/infiniband/uverbs0"));
        Diagnosis finding = finding("rdma mlx5_0");
        assertEquals("/dev/infiniband/uverbs0 is missing", finding.finding());
        Files.delete(root.resolve("sys/class/infiniband_verbs/uverbs0/ibdev"));
        assertTrue(finding("rdma mlx5_0").remedy().contains("ib_uverbs"));
    }

    @Test
    void shouldWarnOfMissingDrivers() throws IOException {
        device("ACTIVE", "InfiniBand");
        Files.delete(root.resolve("etc/libibverbs.d/mlx5.driver"));
        assertEquals(Level.WARNING, finding("rdma drivers").level());
    }

    @Test
    void shouldGoOnWhereFilesAreNotWhatTheyShouldBe() throws IOException {
        Files.createDirectories(root.resolve("proc/self/limits"));
        Files.createDirectories(root.resolve("sys/class/infiniband/mlx5_0/node_type"));
        Files.createDirectories(root.resolve("proc/sys/kernel/yama/ptrace_scope"));
        write("/sys/class/infiniband/mlx5_1/node_type", "1: CA");
        write("/sys/class/infiniband/mlx5_1/ports/1/state", new String(new char[] {0xff, 0xfe, 0}));
        assertFalse(run().isEmpty());
        assertEquals(Level.FAILURE, finding("rdma mlx5_1:1").level());
        assertEquals(Level.OK, finding("locked memory").level());
    }

    @Test
    void shouldLookAtThisHostWithoutHarm() {
        List<Diagnosis> findings = new UcxProvider().diagnose();
        Set<String> names = new HashSet<>();
        findings.forEach(finding -> names.add(finding.name()));
        assertTrue(names.containsAll(Set.of("ucx signals", "ucx shared memory", "locked memory")), names::toString);
    }

    private void limits(String soft, String capabilities) throws IOException {
        write(
                "/proc/self/limits",
                "Limit                     Soft Limit           Hard Limit           Units     \n"
                        + "Max locked memory         " + soft + "              unlimited            bytes     \n");
        write("/proc/self/status", "Name:\tjava\nCapEff:\t" + capabilities + "\nSeccomp:\t0\n");
    }

    private void device(String state, String linkLayer) throws IOException {
        write("/sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
        write("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
        write("/dev/infiniband/uverbs0", "");
        write("/etc/libibverbs.d/mlx5.driver", "driver mlx5\n");
        port("mlx5_0", "1", "4: " + state, linkLayer, GID);
    }

    private void port(String device, String number, String state, String linkLayer, String gid) throws IOException {
        String folder = "/sys/class/infiniband/" + device + "/ports/" + number;
        write(folder + "/state", state + "\n");
        write(folder + "/phys_state", "5: LinkUp\n");
        write(folder + "/link_layer", linkLayer + "\n");
        write(folder + "/rate", "100 Gb/sec (4X EDR)\n");
        write(folder + "/gids/0", gid + "\n");
        write(folder + "/gids/1", EMPTY_GID + "\n");
    }

    private void roce(String type) throws IOException {
        write(PORT + "/gid_attrs/types/0", type + "\n");
        write(PORT + "/gid_attrs/ndevs/0", "eth7\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file.substring(1));
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private Diagnosis finding(String name) {
        return run().stream()
                .filter(finding -> finding.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no finding of that name: name=" + name + " in " + run()));
    }

    private List<Diagnosis> run() {
        return new UcxDiagnosis(new UcxHost(
                        new HostFiles(root),
                        environment,
                        () -> library,
                        () -> jucx,
                        () -> information,
                        folder -> space,
                        () -> threadError))
                .run();
    }
}
