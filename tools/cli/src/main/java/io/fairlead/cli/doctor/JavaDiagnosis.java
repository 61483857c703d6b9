package io.fairlead.cli.doctor;

import io.fairlead.spi.Diagnosis;
import java.util.List;
import java.util.stream.Collectors;

/** What every transport needs of the JVM. */
final class JavaDiagnosis {
    private static final int RELEASE_MIN = 25;

    private JavaDiagnosis() {}

    static Diagnosis release(Runtime.Version version, String name) {
        String finding = "java " + version + " (" + name + ")";
        return version.feature() < RELEASE_MIN
                ? Diagnosis.failure(
                        "jdk",
                        finding + " is too old: needed " + RELEASE_MIN + " or newer",
                        "install the package temurin-25-jdk of Eclipse Adoptium")
                : Diagnosis.ok("jdk", finding);
    }

    /** A later JDK refuses to let code without this into native libraries, where this one warns. */
    static Diagnosis nativeAccess(List<Module> modules) {
        List<Module> denied = modules.stream()
                .filter(module -> !module.isNativeAccessEnabled())
                .distinct()
                .toList();
        if (denied.isEmpty()) {
            return Diagnosis.ok("native access", "enabled for every transport");
        }
        String names = denied.stream()
                .map(module -> module.isNamed() ? module.getName() : "ALL-UNNAMED")
                .sorted()
                .collect(Collectors.joining(","));
        return Diagnosis.warning(
                "native access",
                "not enabled for " + names + ": the JVM warns of it today and will deny it",
                "start Java with --enable-native-access=" + names);
    }
}
