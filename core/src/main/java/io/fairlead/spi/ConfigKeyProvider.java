package io.fairlead.spi;

import io.fairlead.config.ConfigKey;
import java.util.List;

/**
 * Provides the configuration keys of a module that is not a transport, such as Node. Found by
 * {@link java.util.ServiceLoader}. Files and environment variables may set the keys if the module is on the class path
 * or module path; otherwise the keys are unknown, and setting them is an error. Stateless and thread-safe.
 */
public interface ConfigKeyProvider {
    /**
     * The configuration keys of the module.
     *
     * @return all of them, in the order of the reference file; their names begin with the module's name and a dot
     */
    List<ConfigKey<?>> configKeys();
}
