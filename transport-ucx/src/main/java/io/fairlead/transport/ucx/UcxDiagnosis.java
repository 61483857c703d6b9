package io.fairlead.transport.ucx;

import io.fairlead.spi.Diagnosis;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks whether, and how fast, UCX works on a host: the library, limits and devices. */
final class UcxDiagnosis {
    private static final String JUCX = "JUCX 1.18.1";
    private static final int MAJOR = 1;
    private static final int MINOR_MIN = 13;
    private static final String LIBRARY = "ucx library";
    private static final String INSTALL = "install it with: apt-get install -y --no-install-recommends libucx0";
    private static final Pattern INFORMATION_VERSION =
            Pattern.compile("(?m)^# (?:Library version:|Version) (\\d+\\.\\d+\\.\\d+)");

    private final UcxHost host;

    UcxDiagnosis(UcxHost host) {
        this.host = host;
    }

    List<Diagnosis> run() {
        List<Diagnosis> findings = new ArrayList<>();
        List<Diagnosis> loading = new UcxLoading(host).run();
        // The first is always reported; the others if they are a problem.
        findings.add(loading.getFirst());
        loading.stream()
                .skip(1)
                .filter(finding -> finding.level() != Diagnosis.Level.OK)
                .forEach(findings::add);
        HostLimits limits = new HostLimits(host);
        RdmaDiagnosis rdma = new RdmaDiagnosis(host.files());
        if (loading.stream().allMatch(finding -> finding.level() == Diagnosis.Level.OK)) {
            UcxLibrary library = host.library().get();
            findings.addAll(library(library, rdma.hasDevice()));
            findings.add(log());
            if (library.problem().isEmpty()) {
                findings.add(limits.tracing());
                if (rdma.hasDevice()) {
                    modules().ifPresent(findings::add);
                }
            }
        }
        findings.add(limits.sharedMemory());
        findings.add(limits.threads());
        findings.add(limits.lockedMemory(rdma.hasDevice()));
        findings.addAll(rdma.run());
        return findings;
    }

    /** Where UCX's own log is. */
    private Diagnosis log() {
        Map<String, String> environment = host.environment();
        return Diagnosis.ok(
                "ucx log",
                UcxLog.onStandardOutput(environment)
                        ? "off, since UCX would write it to standard output; UCX_LOG_FILE=stderr turns it on"
                        : "to UCX_LOG_FILE=" + environment.get("UCX_LOG_FILE") + ", level "
                                + UcxLog.level(environment));
    }

    private Optional<Diagnosis> modules() {
        return new UcxModules(host.files())
                .missing()
                .map(missing -> Diagnosis.failure(
                        "ucx rdma",
                        missing + ", so there is no RDMA",
                        "install UCX with its modules for RDMA: Debian 12 and Ubuntu 24.04 have them in the package"
                                + " libucx0, others in ucx-ib"));
    }

    private List<Diagnosis> library(UcxLibrary library, boolean rdma) {
        if (!library.problem().isEmpty()) {
            return List.of(
                    rdma
                            ? Diagnosis.warning(LIBRARY, library.problem() + ", so there is no RDMA", INSTALL)
                            : Diagnosis.ok(LIBRARY, library.problem() + ", and nothing here is for RDMA"));
        }
        if (library.major() != MAJOR || library.minor() < MINOR_MIN) {
            return List.of(Diagnosis.failure(
                    LIBRARY,
                    "UCX is too old or too new: version=" + library.version() + ", needed " + MAJOR + "." + MINOR_MIN
                            + " or newer of release " + MAJOR,
                    "install a newer UCX; Debian 12 and Ubuntu 24.04 have one in the package libucx0"));
        }
        List<Diagnosis> findings = new ArrayList<>();
        findings.add(Diagnosis.ok(LIBRARY, Ucp.LIBRARY + " version " + library.version()));
        findings.add(build(library.version()));
        Diagnosis symbols = symbols(library);
        findings.add(symbols);
        if (symbols.level() == Diagnosis.Level.OK) {
            findings.add(jucx());
        }
        return findings;
    }

    private Diagnosis build(String version) {
        Optional<String> information = host.information().get();
        if (information.isEmpty()) {
            return Diagnosis.ok(
                    "ucx build", "flags are not known, since ucx_info (package ucx-utils) is not installed");
        }
        Matcher matcher = INFORMATION_VERSION.matcher(information.get());
        String described = matcher.find() ? matcher.group(1) : "unknown";
        if (!described.equals(version)) {
            return Diagnosis.ok(
                    "ucx build",
                    "flags are not known, since ucx_info is of another UCX: ucx_info=" + described + ", library="
                            + version);
        }
        if (!flag(information.get(), "ENABLE_MT")) {
            return Diagnosis.warning(
                    "ucx build",
                    "ENABLE_MT=0: workers of one context that run on several threads would race",
                    "use one worker per context, or a UCX that was configured with --enable-mt, as Debian's is");
        }
        boolean asserts = flag(information.get(), "ENABLE_ASSERT");
        boolean checks = flag(information.get(), "ENABLE_PARAMS_CHECK");
        return Diagnosis.ok(
                "ucx build",
                "assertions " + onOff(asserts) + ", parameter checks " + onOff(checks)
                        + ", threads on"
                        + (asserts ? ": a broken rule of UCX's aborts the JVM, so Fairlead checks first" : ""));
    }

    private static boolean flag(String information, String name) {
        return Pattern.compile("(?m)^#define +" + name + " +1\\s*$")
                .matcher(information)
                .find();
    }

    private static String onOff(boolean on) {
        return on ? "on" : "off";
    }

    private Diagnosis jucx() {
        String problem = host.jucx().get();
        return problem.isEmpty()
                ? Diagnosis.ok("jucx", JUCX + " is loaded")
                : Diagnosis.failure("jucx", problem + ", so there is no RDMA", JucxLibrary.REMEDY);
    }

    private Diagnosis symbols(UcxLibrary library) {
        TreeSet<String> needed = new TreeSet<>(library.missing());
        needed.retainAll(UcxSymbols.NEEDED);
        TreeSet<String> optional = new TreeSet<>(library.missing());
        optional.removeAll(needed);
        if (!needed.isEmpty()) {
            return Diagnosis.failure(
                    "ucx symbols",
                    "UCX " + library.version() + " lacks what the transport calls: " + String.join(", ", needed),
                    "install a complete UCX " + MAJOR + "." + MINOR_MIN + " or newer");
        }
        String bindNow = host.environment().getOrDefault("LD_BIND_NOW", "");
        if (!optional.isEmpty() && !bindNow.isEmpty()) {
            return Diagnosis.failure(
                    "ucx symbols",
                    "LD_BIND_NOW=" + bindNow + " keeps " + JUCX + " from loading, since UCX " + library.version()
                            + " lacks " + String.join(", ", optional),
                    "start Java without LD_BIND_NOW in the environment");
        }
        return Diagnosis.ok(
                "ucx symbols",
                "all " + UcxSymbols.NEEDED.size() + " that the transport and " + JUCX + " need"
                        + (optional.isEmpty() ? "" : "; not there, and not called: " + String.join(", ", optional)));
    }
}
