package io.fairlead.tck;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import java.time.Duration;

/** A transport that the suites run over. */
enum Lane {
    SHM("shm,tcp"),
    TCP("tcp");

    private final String transports;

    Lane(String transports) {
        this.transports = transports;
    }

    FairleadConfig config() {
        return FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, transports)
                .with(ConfigKeys.POLICY, PathPolicy.named(transport()))
                // The nodes share two cores with the suite and with whatever else runs here.
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(20));
    }

    String transport() {
        return this == SHM ? "shm" : "tcp";
    }
}
