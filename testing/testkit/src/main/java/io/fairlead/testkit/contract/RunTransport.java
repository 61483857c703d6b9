package io.fairlead.testkit.contract;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The transport that a run is over, where a {@linkplain ContractSuites#TRANSPORT parameter} names one; a new one for each case. */
final class RunTransport implements BeforeEachCallback {
    /** The configuration parameter by which the servers of cases are in another process than their clients: {@code true}. Runs exclude the tag {@code one-process}. */
    private static final String SERVERS_APART = "fairlead.contract.servers-apart";

    private @Nullable TransportUnderTest transport;
    private boolean serversApart;

    RunTransport() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        transport = context.getConfigurationParameter(ContractSuites.TRANSPORT)
                .map(TransportUnderTest::named)
                .orElse(null);
        serversApart = context.getConfigurationParameter(SERVERS_APART)
                .map(Boolean::parseBoolean)
                .orElse(false);
    }

    boolean hasServersApart() {
        return serversApart;
    }

    TransportUnderTest transport() {
        if (transport == null) {
            throw new IllegalStateException(
                    "no transport to run the suite over: run it by a test class with @ContractSuites,"
                            + " or set the configuration parameter " + ContractSuites.TRANSPORT);
        }
        return transport;
    }
}
