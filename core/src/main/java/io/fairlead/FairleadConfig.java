package io.fairlead;

import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.config.ConfigLoader;
import io.fairlead.internal.config.ConfiguredValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A typed configuration. Immutable and thread-safe.
 *
 * <p>A value comes from the first of these that sets it: code ({@link #with}), an environment variable
 * ({@link ConfigKey#environmentVariable()}), a file, the key's default. System properties are not read. An unknown key, an unknown
 * {@code FAIRLEAD_} variable and a value out of range are errors, wherever they come from. An empty variable counts as not set.
 */
public final class FairleadConfig {
    private static final FairleadConfig DEFAULTS = new FairleadConfig(ConfigKeys.all(), Map.of());
    private static final String CODE = "code";
    private static final String DEFAULT = "default";
    private static final String REFERENCE_HEADER = """
            # Every key of Fairlead with its default, written from the keys themselves.
            #
            # Put what you change into a file fairlead.conf in the working directory, or into one that the environment variable
            # FAIRLEAD_CONFIG names. The syntax is HOCON. Values in code win over environment variables, those over the file, and
            # the file over the defaults; system properties are not read. Unknown keys and values out of range are errors that name the
            # file and the line. Units are case-sensitive: 2 s and 64 KiB are understood, 2 S and 64 kib are not.
            """;

    private final List<ConfigKey<?>> keys;
    private final Map<String, ConfiguredValue> values;

    private FairleadConfig(List<ConfigKey<?>> keys, Map<String, ConfiguredValue> values) {
        this.keys = List.copyOf(keys);
        this.values = Map.copyOf(values);
    }

    /**
     * The configuration in which every key has its default, regardless of the environment.
     *
     * @return always the same
     */
    public static FairleadConfig defaults() {
        return DEFAULTS;
    }

    /**
     * Reads the file that the environment variable {@code FAIRLEAD_CONFIG} names, or else {@code fairlead.conf} in the working
     * directory if there is one, and the environment.
     *
     * @return the configuration
     * @throws FairleadException {@code CONFIGURATION}, one line that names the key, the value, what is allowed, and file and line; also for
     *     the keys of a transport that is not on the path, and for a policy that names one
     */
    public static FairleadConfig load() {
        List<ConfigKey<?>> known = ConfigLoader.knownKeys();
        return new FairleadConfig(known, ConfigLoader.load(known, System.getenv(), Path.of("")));
    }

    /**
     * Reads a file in HOCON, and the environment.
     *
     * @param file the file; {@code FAIRLEAD_CONFIG} and the working directory are ignored
     * @return the configuration
     * @throws FairleadException {@code CONFIGURATION}, as {@link #load()}
     */
    public static FairleadConfig load(Path file) {
        Objects.requireNonNull(file, "file");
        List<ConfigKey<?>> known = ConfigLoader.knownKeys();
        return new FairleadConfig(known, ConfigLoader.load(known, System.getenv(), file, "named by the caller"));
    }

    /**
     * A copy with another value for a key.
     *
     * @param <T> the type of its values
     * @param key the key, also one that no file may name
     * @param value the value
     * @return the copy
     * @throws FairleadException {@code CONFIGURATION} if the value is out of the key's range
     */
    public <T> FairleadConfig with(ConfigKey<T> key, T value) {
        Objects.requireNonNull(value, "value");
        T read;
        try {
            // Reads the value as it would be read from a file, which normalizes its case.
            read = key.parse(key.format(value));
        } catch (IllegalArgumentException refused) {
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION, refused.getMessage() + " (" + CODE + ")", refused);
        }
        Map<String, ConfiguredValue> copy = new HashMap<>(values);
        copy.put(key.name(), new ConfiguredValue(read, CODE));
        List<ConfigKey<?>> known = new ArrayList<>(keys);
        if (known.stream().noneMatch(other -> other.name().equals(key.name()))) {
            known.add(key);
        }
        return new FairleadConfig(known, copy);
    }

    /**
     * The value of a key.
     *
     * @param <T> the type of its values
     * @param key the key
     * @return what is configured, or the key's default
     */
    public <T> T value(ConfigKey<T> key) {
        ConfiguredValue configured = values.get(key.name());
        return configured == null ? key.defaultValue() : key.type().cast(configured.value());
    }

    /**
     * Where the value of a key comes from.
     *
     * @param key the key
     * @return {@code default}, {@code code}, file and line as in {@code fairlead.conf:12}, or {@code environment variable} and its
     *     name
     */
    public String origin(ConfigKey<?> key) {
        ConfiguredValue configured = values.get(key.name());
        return configured == null ? DEFAULT : configured.origin();
    }

    /**
     * The known keys: the core's keys, the keys of modules and transports that were found at load time, and keys that
     * were set in code.
     *
     * @return immutable, in the order of the reference file
     */
    public List<ConfigKey<?>> keys() {
        return keys;
    }

    /**
     * A file that sets every key of {@link #keys()} to its default, with comments that state meaning, type, unit, range
     * and environment variable of each.
     *
     * @return text in HOCON
     */
    public String reference() {
        StringBuilder text = new StringBuilder(REFERENCE_HEADER);
        String section = "";
        for (ConfigKey<?> key : keys) {
            String title = ConfigKeys.all().contains(key) ? "core" : key.name().split("\\.", 2)[0];
            if (!title.equals(section)) {
                section = title;
                text.append("\n# --- ").append(title).append(" ---\n");
            }
            text.append('\n').append(key.reference());
        }
        return text.toString();
    }

    /** The values that differ from the defaults, each with its origin. */
    @Override
    public String toString() {
        return keys.stream()
                .filter(key -> values.containsKey(key.name()))
                .map(this::describe)
                .collect(Collectors.joining(", ", "FairleadConfig[", "]"));
    }

    private <T> String describe(ConfigKey<T> key) {
        return key.name() + "=" + key.format(value(key)) + " (" + origin(key) + ")";
    }
}
