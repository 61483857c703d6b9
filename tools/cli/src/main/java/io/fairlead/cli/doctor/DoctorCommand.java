package io.fairlead.cli.doctor;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.diagnosis.CoreDiagnosis;
import io.fairlead.internal.providers.SecurityProviders;
import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.TransportProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

/** Looks at this host with the eyes of every transport, and tries what two processes make of it. */
@Command(
        name = "doctor",
        description = "Check what this host has for Fairlead: JDK, libraries, limits, devices, and the path that two"
                + " processes take here. Each warning and failure names its remedy; exit status 1 on any failure.")
public final class DoctorCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print the result as one JSON document.")
    private boolean json;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() throws InterruptedException {
        List<Diagnosis> findings = host(config.load());
        PairCheck pair;
        try (StopSignal stop = StopSignal.install()) {
            pair = PairCheck.run(config.toArguments(), stop);
        }
        findings.add(pair.finding());
        DoctorReport report = DoctorReport.of(findings, pair.path());
        if (json) {
            System.out.println(JsonMapper.shared().writeValueAsString(report));
        } else {
            print(report);
        }
        return report.ok() ? 0 : CommandFailure.FAILED;
    }

    /** What this process sees of its host, without a second one. */
    static List<Diagnosis> host(FairleadConfig settings) {
        List<TransportProvider> providers = configured(settings.value(ConfigKeys.TRANSPORTS));
        List<Diagnosis> findings = new ArrayList<>();
        findings.add(JavaDiagnosis.release(Runtime.version(), System.getProperty("java.vm.name")));
        findings.add(JavaDiagnosis.nativeAccess(providers.stream()
                .map(provider -> provider.getClass().getModule())
                .toList()));
        findings.add(CoreDiagnosis.liveness(settings));
        providers.forEach(provider -> findings.addAll(diagnose(provider)));
        findings.add(security(settings, providers));
        findings.addAll(keys(settings));
        findings.addAll(CoreDiagnosis.access(settings));
        findings.addAll(TokenDiagnosis.of(settings));
        return findings;
    }

    /** What a report of a vulnerability says first. */
    private static Diagnosis security(FairleadConfig settings, List<TransportProvider> providers) {
        return Diagnosis.ok(
                "security",
                ConfigKeys.SECURITY_MODE.name() + "="
                        + ConfigKeys.SECURITY_MODE.format(settings.value(ConfigKeys.SECURITY_MODE)) + ", transports="
                        + providers.stream().map(TransportProvider::name).collect(Collectors.joining(",")));
    }

    /** What secures connections, by whatever is on the path for it. */
    static List<Diagnosis> keys(FairleadConfig settings) {
        try {
            return SecurityProviders.present().stream()
                    .flatMap(provider -> provider.diagnose(settings).stream())
                    .toList();
        } catch (RuntimeException | Error thrown) {
            return List.of(Diagnosis.failure(
                    "keys",
                    "the checks of keys ended with " + thrown,
                    "report it to whoever wrote the security provider"));
        }
    }

    /** What bears on a transport that may not be used is no finding. */
    private static List<TransportProvider> configured(String names) {
        List<String> wanted = Arrays.asList(names.strip().split("\\s*,\\s*", -1));
        return TransportProviders.present().stream()
                .filter(provider -> names.isBlank() || wanted.contains(provider.name()))
                .sorted(Comparator.comparingInt(TransportProvider::rank).thenComparing(TransportProvider::name))
                .toList();
    }

    /** An exception of one transport's own check must not prevent the other transports' reports. */
    static List<Diagnosis> diagnose(TransportProvider provider) {
        try {
            List<Diagnosis> findings = provider.diagnose();
            return findings.isEmpty()
                    ? List.of(Diagnosis.ok(provider.name(), "the transport has nothing to tell of this host"))
                    : findings;
        } catch (RuntimeException | Error thrown) {
            return List.of(Diagnosis.failure(
                    provider.name(),
                    "the transport's own checks ended with " + thrown,
                    "report it to whoever wrote the transport"));
        }
    }

    private static void print(DoctorReport report) {
        report.lines().forEach(System.out::println);
        System.out.printf(
                Locale.ROOT,
                "%n%d ok, %d warning, %d failure%n",
                report.count(Diagnosis.Level.OK),
                report.count(Diagnosis.Level.WARNING),
                report.count(Diagnosis.Level.FAILURE));
    }
}
