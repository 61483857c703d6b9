package io.fairlead.netty;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import java.time.Duration;

/** A transport that the tests run over. */
enum Lane {
    SHM("shm"),
    TCP("tcp");

    private final String transport;

    Lane(String transport) {
        this.transport = transport;
    }

    /** What contexts of this lane are opened with. */
    FairleadConfig config() {
        return FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, transport.equals("shm") ? "shm,tcp" : transport)
                .with(ConfigKeys.POLICY, io.fairlead.PathPolicy.named(transport))
                // Two event loops share a core with everything else here.
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(20));
    }

    String transport() {
        return transport;
    }
}
