package io.fairlead.netty;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;

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
                .with(ConfigKeys.POLICY, io.fairlead.PathPolicy.named(transport));
    }

    String transport() {
        return transport;
    }
}
