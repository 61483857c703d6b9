package io.fairlead.testkit.contract;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The transport that a run is over, where a {@linkplain ContractSuites#TRANSPORT parameter} names one; a new one for each case. */
final class RunTransport implements BeforeEachCallback {
    private @Nullable TransportUnderTest transport;

    RunTransport() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        transport = context.getConfigurationParameter(ContractSuites.TRANSPORT)
                .map(TransportUnderTest::named)
                .orElse(null);
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
