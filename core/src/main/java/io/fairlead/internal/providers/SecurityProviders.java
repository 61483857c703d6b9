package io.fairlead.internal.providers;

import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKey;
import io.fairlead.spi.ServiceLoaders;
import io.fairlead.spi.security.SecurityProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * Finds the security provider of a context: on the class and module path, or as a caller, such as a test, specifies for
 * the duration of a call. Thread-safe.
 */
public final class SecurityProviders {
    private static final ScopedValue<List<SecurityProvider>> CHOSEN = ScopedValue.newInstance();

    private SecurityProviders() {}

    /**
     * Runs a body during which {@link io.fairlead.Context#open} on this thread finds exactly these providers.
     *
     * @param <T> the type of the result
     * @param providers the providers
     * @param body the code to run, such as the opening of a context
     * @return the result of the body
     */
    public static <T> T with(List<SecurityProvider> providers, Supplier<T> body) {
        return ScopedValue.where(CHOSEN, List.copyOf(providers)).call(body::get);
    }

    /**
     * The provider of a secured context.
     *
     * @param mode the configured mode, for the message
     * @return the only one
     * @throws FairleadException {@code CONFIGURATION} if there is none, more than one, or one that cannot be loaded
     */
    public static SecurityProvider only(String mode) {
        List<SecurityProvider> found;
        try {
            found = present();
        } catch (ServiceConfigurationError | LinkageError broken) {
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    "a security provider cannot be loaded: security.mode=" + mode + ", cause=" + broken.getMessage()
                            + "; mend or remove the module that names it",
                    broken);
        }
        if (found.size() == 1) {
            return found.getFirst();
        }
        throw new FairleadException(
                FairleadException.Reason.CONFIGURATION,
                found.isEmpty()
                        ? "nothing on the class or module path secures connections: security.mode=" + mode
                                + "; add the artifact io.fairlead:fairlead-security"
                        : "more than one security provider is on the class or module path: security.mode=" + mode
                                + ", found="
                                + found.stream()
                                        .map(SecurityProvider::name)
                                        .sorted()
                                        .toList()
                                + "; leave one of them");
    }

    /**
     * The configuration keys of all providers.
     *
     * @return empty for a provider that fails to load; the failure is reported when it would be opened
     */
    public static List<ConfigKey<?>> configKeys() {
        List<ConfigKey<?>> keys = new ArrayList<>();
        try {
            present().forEach(provider -> keys.addAll(provider.configKeys()));
        } catch (ServiceConfigurationError | LinkageError unusable) {
            return List.copyOf(keys);
        }
        return List.copyOf(keys);
    }

    /**
     * The providers that a new context would find.
     *
     * @return the specified providers, or the service loader's
     * @throws ServiceConfigurationError if one fails to load
     */
    public static List<SecurityProvider> present() {
        return CHOSEN.isBound()
                ? CHOSEN.get()
                : ServiceLoaders.all(SecurityProvider.class, from -> ServiceLoader.load(SecurityProvider.class, from));
    }
}
