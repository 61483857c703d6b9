package io.fairlead.spi.security;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.Diagnosis;
import java.util.List;

/**
 * Provides a way to secure connections. Found by {@link java.util.ServiceLoader}; stateless and thread-safe. A context
 * uses one if {@code security.mode} is not {@code off}; then exactly one must be on the path.
 */
public interface SecurityProvider {
    /**
     * The provider's name, for messages.
     *
     * @return never changes
     */
    String name();

    /**
     * The configuration keys of this provider, each named {@code security.…} and none of them a key of the core.
     *
     * @return never changes
     */
    List<ConfigKey<?>> configKeys();

    /**
     * Checks the configuration: files and their rights, dates, and whether certificate, key and trust belong together.
     * It changes nothing. Something unreadable is a finding, never an exception.
     *
     * @param config the configuration that a context would be opened with
     * @return in the order in which to read them; empty if there are no findings
     */
    default List<Diagnosis> diagnose(FairleadConfig config) {
        return List.of();
    }

    /**
     * Reads the keys that a context's connections use.
     *
     * @param config the context's configuration
     * @return for this context only, which closes it
     * @throws FairleadException {@code CONFIGURATION}, one line that names the file and the remedy
     */
    ConnectionSecurity open(FairleadConfig config);

    /**
     * Reads the keys that a server of another protocol uses, such as the server of metrics. It needs no {@code security.mode}.
     *
     * @param config names the same files as for connections
     * @return for this server only, which closes it
     * @throws FairleadException {@code CONFIGURATION}, one line that names the file and the remedy; also if this
     *     provider has no certificate that clients of another protocol could verify
     */
    default ServerKeys openServer(FairleadConfig config) {
        throw new FairleadException(
                FairleadException.Reason.CONFIGURATION,
                "the security provider has no keys for servers of other protocols: provider=" + name()
                        + "; serve without TLS, or use another provider");
    }
}
