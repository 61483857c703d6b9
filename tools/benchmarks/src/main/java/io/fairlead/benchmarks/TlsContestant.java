package io.fairlead.benchmarks;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.security.SecurityKeys;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/** A way of connecting two processes, with security or without. */
enum TlsContestant {
    TCP("tcp", "tcp-only", ""),
    TCP_JDK("tcp, TLS by jdk", "tcp-only", "jdk"),
    TCP_CONSCRYPT("tcp, TLS by conscrypt", "tcp-only", "conscrypt"),
    SHM("shm", "shm", ""),
    SHM_JDK("shm, encrypted", "shm", "jdk"),
    UCX("ucx", "ucx", ""),
    UCX_JDK("ucx, encrypted", "ucx", "jdk");

    private final String label;
    /** As in configuration. */
    private final String policy;

    private final String engine;

    TlsContestant(String label, String policy, String engine) {
        this.label = label;
        this.policy = policy;
        this.engine = engine;
    }

    String label() {
        return label;
    }

    /** The same transport without security. */
    TlsContestant reference() {
        return switch (this) {
            case TCP, TCP_JDK, TCP_CONSCRYPT -> TCP;
            case SHM, SHM_JDK -> SHM;
            case UCX, UCX_JDK -> UCX;
        };
    }

    boolean isSecured() {
        return !engine.isEmpty();
    }

    /** Patient, because a contestant makes no progress while another has its turn. */
    FairleadConfig config(Map<String, String> security) {
        FairleadConfig config = FairleadConfig.defaults()
                .with(ConfigKeys.POLICY, PathPolicy.parse(policy))
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMinutes(5))
                .with(ConfigKeys.CONNECT_TIMEOUT, Duration.ofMinutes(1))
                .with(ConfigKeys.HELLO_TIMEOUT, Duration.ofMinutes(1));
        if (!isSecured()) {
            return config;
        }
        for (Map.Entry<String, String> entry : security.entrySet()) {
            config = with(config, entry.getKey(), entry.getValue());
        }
        return config.with(SecurityKeys.ENGINE, engine);
    }

    private static FairleadConfig with(FairleadConfig config, String name, String text) {
        ConfigKey<?> key = Stream.concat(SecurityKeys.all().stream(), Stream.of(ConfigKeys.SECURITY_MODE))
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no such key: key=" + name));
        return with(config, key, text);
    }

    private static <T> FairleadConfig with(FairleadConfig config, ConfigKey<T> key, String text) {
        return config.with(key, key.parse(text));
    }
}
