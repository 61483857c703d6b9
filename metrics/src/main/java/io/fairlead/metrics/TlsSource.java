package io.fairlead.metrics;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.ServiceLoaders;
import io.fairlead.spi.security.SecurityProvider;
import io.fairlead.spi.security.ServerKeys;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * Where a server takes its TLS from. No key is read before the server starts.
 *
 * @param clients who is talked to
 * @param opening reads the keys
 */
record TlsSource(TlsClients clients, Supplier<ServerTls> opening) {
    /** The application's own keys, which it closes itself. */
    static TlsSource of(Supplier<SSLContext> keys, TlsClients clients) {
        return new TlsSource(clients, () -> new ServerTls(keys, clients, () -> {}));
    }

    /** The certificate and the trust of {@code security.*}, as {@code metrics.tls} says; empty if it is {@code off}. */
    static Optional<TlsSource> of(FairleadConfig config) {
        return switch (config.value(ConfigKeys.METRICS_TLS)) {
            case "server" -> Optional.of(of(config, TlsClients.ANYONE));
            case "mutual" -> Optional.of(of(config, TlsClients.WITH_CERTIFICATE));
            default -> Optional.empty();
        };
    }

    private static TlsSource of(FairleadConfig config, TlsClients clients) {
        return new TlsSource(clients, () -> {
            SecurityProvider provider = provider(config);
            ServerKeys keys;
            try {
                keys = provider.openServer(config);
            } catch (FairleadException unusable) {
                throw new FairleadException(
                        unusable.reason(),
                        "metrics.tls=" + config.value(ConfigKeys.METRICS_TLS) + " needs keys: " + unusable.getMessage(),
                        unusable);
            }
            return new ServerTls(keys::context, clients, keys::close);
        });
    }

    private static SecurityProvider provider(FairleadConfig config) {
        String setting = "metrics.tls=" + config.value(ConfigKeys.METRICS_TLS);
        List<SecurityProvider> found;
        try {
            found = ServiceLoaders.all(
                    SecurityProvider.class, from -> ServiceLoader.load(SecurityProvider.class, from));
        } catch (ServiceConfigurationError | LinkageError broken) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    "a security provider cannot be loaded: " + setting + ", cause=" + broken.getMessage()
                            + "; mend or remove the module that names it",
                    broken);
        }
        if (found.size() == 1) {
            return found.getFirst();
        }
        throw new FairleadException(
                Reason.CONFIGURATION,
                found.isEmpty()
                        ? "nothing on the class or module path has keys for metrics: " + setting
                                + "; add the artifact io.fairlead:fairlead-security"
                        : "more than one security provider is on the class or module path: " + setting + ", found="
                                + found.stream()
                                        .map(SecurityProvider::name)
                                        .sorted()
                                        .toList() + "; leave one of them");
    }

    ServerTls open() {
        return opening.get();
    }
}
