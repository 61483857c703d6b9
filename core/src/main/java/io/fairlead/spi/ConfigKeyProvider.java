package io.fairlead.spi;

import io.fairlead.config.ConfigKey;
import java.util.List;

/**
 * Names the configuration keys of a module that is no transport, found by the service loader. A file and the environment may name them where the module
 * is on the path; elsewhere they are unknown.
 */
public interface ConfigKeyProvider {
    /**
     * The keys.
     *
     * @return all of them, in the order of the reference file; their names begin with the module's and a dot
     */
    List<ConfigKey<?>> configKeys();
}
