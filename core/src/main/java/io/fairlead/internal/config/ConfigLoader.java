package io.fairlead.internal.config;

import io.fairlead.FairleadException;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.files.FilePath;
import io.fairlead.internal.names.NearestName;
import io.fairlead.internal.names.PolicyNames;
import io.fairlead.internal.names.ShownText;
import io.fairlead.internal.providers.SecurityProviders;
import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.ConfigKeyProvider;
import io.fairlead.spi.ServiceLoaders;
import io.fairlead.spi.TransportProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Collects configured values from a file and the environment, which takes precedence, and refuses unknown keys. Of
 * several problems it reports the first completely, and the number of the others.
 */
public final class ConfigLoader {
    /** The default file. */
    public static final String DEFAULT_FILE = "fairlead.conf";

    /** The environment variable that names the file. */
    public static final String FILE_VARIABLE = "FAIRLEAD_CONFIG";

    private static final String PREFIX = "FAIRLEAD_";

    /**
     * Variables that are not keys: variables of the launcher and its scripts, and the password, which must not be in a
     * file.
     */
    private static final Set<String> OTHER_VARIABLES = Set.of(
            FILE_VARIABLE, "FAIRLEAD_HOME", "FAIRLEAD_JAVA_HOME", "FAIRLEAD_JAVA_OPTS", "FAIRLEAD_SECURITY_PASSWORD");

    /**
     * Variables that Kubernetes sets in every container of a namespace with a service named {@code fairlead} or
     * {@code fairlead-…}. The user did not choose these names, so they are not errors; {@code …_PORT} only with an
     * address, as Kubernetes sets it.
     */
    private static final Pattern KUBERNETES_VARIABLE = Pattern.compile(
            "FAIRLEAD_(\\w+_)?(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT(?==\\w+://)|PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)=.*",
            Pattern.DOTALL);

    private final Map<String, ConfigKey<?>> keys = new LinkedHashMap<>();
    private final Map<String, ConfigKey<?>> variables = new LinkedHashMap<>();
    private final Map<String, ConfiguredValue> values = new HashMap<>();
    private final List<String> problems = new ArrayList<>();

    private ConfigLoader(List<ConfigKey<?>> known) {
        for (ConfigKey<?> key : known) {
            keys.putIfAbsent(key.name(), key);
            variables.putIfAbsent(key.environmentVariable(), key);
        }
    }

    /**
     * The keys of the core and of the transports that a new context would find.
     *
     * @return the core's keys, then the keys of other modules, then the transports' keys by name of the transport
     */
    public static List<ConfigKey<?>> knownKeys() {
        List<ConfigKey<?>> known = new ArrayList<>(ConfigKeys.all());
        ServiceLoaders.all(ConfigKeyProvider.class, from -> ServiceLoader.load(ConfigKeyProvider.class, from))
                .forEach(provider -> known.addAll(provider.configKeys()));
        known.addAll(SecurityProviders.configKeys());
        Map<String, List<ConfigKey<?>>> byTransport = new TreeMap<>();
        TransportProviders.present().forEach(provider -> byTransport.putIfAbsent(provider.name(), keysOf(provider)));
        byTransport.values().forEach(known::addAll);
        return List.copyOf(known);
    }

    /** A transport that fails to load has no keys; the failure is reported when it would be opened. */
    private static List<ConfigKey<?>> keysOf(TransportProvider provider) {
        try {
            return provider.configKeys();
        } catch (LinkageError unusable) {
            return List.of();
        }
    }

    /**
     * Reads the file that the environment names, or else {@value #DEFAULT_FILE} in a folder if it exists, and the
     * environment.
     *
     * @param known the keys
     * @param environment all environment variables
     * @param folder the base of relative names
     * @return the configured values, by the names of the keys
     * @throws FairleadException {@code CONFIGURATION}
     */
    public static Map<String, ConfiguredValue> load(
            List<ConfigKey<?>> known, Map<String, String> environment, Path folder) {
        String named = environment.getOrDefault(FILE_VARIABLE, "");
        if (!named.isBlank()) {
            String namedBy = "named by the environment variable " + FILE_VARIABLE;
            return load(known, environment, folder.resolve(FilePath.of(named, ConfigFile.WHAT, namedBy)), namedBy);
        }
        // Only if it certainly does not exist: an unreadable file is an error that must be visible.
        return FilePath.isIn(folder, DEFAULT_FILE, ConfigFile.WHAT)
                ? load(known, environment, folder.resolve(DEFAULT_FILE), "found in the working directory")
                : new ConfigLoader(known).gather(List.of(), environment);
    }

    /**
     * Reads a file and the environment.
     *
     * @param known the keys
     * @param environment all environment variables
     * @param file the file
     * @param namedBy the source of the name, for failures
     * @return the configured values, by the names of the keys
     * @throws FairleadException {@code CONFIGURATION}
     */
    public static Map<String, ConfiguredValue> load(
            List<ConfigKey<?>> known, Map<String, String> environment, Path file, String namedBy) {
        return new ConfigLoader(known).gather(ConfigFile.read(file, namedBy), environment);
    }

    private Map<String, ConfiguredValue> gather(List<FileEntry> entries, Map<String, String> environment) {
        entries.forEach(this::takeEntry);
        new TreeMap<>(environment).forEach(this::takeVariable);
        if (!problems.isEmpty()) {
            int others = problems.size() - 1;
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    problems.getFirst()
                            + (others == 0
                                    ? ""
                                    : "; and " + others + (others == 1 ? " more problem" : " more problems")));
        }
        return Map.copyOf(values);
    }

    private void takeEntry(FileEntry entry) {
        ConfigKey<?> key = keys.get(entry.name());
        if (key == null) {
            boolean section = entry.kind() == FileEntry.Kind.EMPTY_SECTION && isSection(entry.name());
            if (!section) {
                problems.add("unknown key: key=" + ShownText.of(entry.name()) + remedy("", entry.name(), keys.keySet())
                        + " (" + entry.origin() + ")");
            }
            return;
        }
        switch (entry.kind()) {
            case VALUE -> set(key, entry.text(), entry.origin());
            case EMPTY_SECTION ->
                problems.add(key.name() + " is a section, not a value: allowed " + key.range() + " (" + entry.origin()
                        + ")");
            case NOTHING ->
                // HOCON's null unsets a key: its default would apply silently, even for security.mode.
                problems.add(key.name() + "=null is no value: allowed " + key.range()
                        + "; leave the key out for its default (" + entry.origin() + ")");
        }
    }

    private void takeVariable(String variable, String text) {
        // Scripts and container files clear a variable by an empty value.
        if (!variable.startsWith(PREFIX) || OTHER_VARIABLES.contains(variable) || text.isBlank()) {
            return;
        }
        ConfigKey<?> key = variables.get(variable);
        if (key != null) {
            set(key, text, "environment variable " + variable);
        } else if (!KUBERNETES_VARIABLE.matcher(variable + "=" + text).matches()) {
            // Without the prefix, which would make all names similar.
            String typed = variable.substring(PREFIX.length());
            List<String> names = variables.keySet().stream()
                    .map(name -> name.substring(PREFIX.length()))
                    .toList();
            problems.add(
                    "unknown environment variable: variable=" + ShownText.of(variable) + remedy(PREFIX, typed, names));
        }
    }

    private void set(ConfigKey<?> key, String text, String origin) {
        try {
            Object value = key.parse(text);
            values.put(key.name(), new ConfiguredValue(value, origin));
            if (value instanceof PathPolicy policy) {
                PolicyNames.problem(policy, transports())
                        .ifPresent(problem -> problems.add(problem + " (" + origin + ")"));
            }
        } catch (IllegalArgumentException refused) {
            problems.add(refused.getMessage() + " (" + origin + ")");
        }
    }

    private static List<String> transports() {
        return TransportProviders.present().stream()
                .map(TransportProvider::name)
                .distinct()
                .toList();
    }

    private boolean isSection(String name) {
        return keys.keySet().stream().anyMatch(known -> known.startsWith(name + "."));
    }

    /**
     * The name that was probably meant, or else where all names are listed. A key may belong to a missing transport,
     * unless a known key has the same first word.
     */
    private String remedy(String prefix, String typed, Collection<String> names) {
        Optional<String> meant = NearestName.of(typed, names);
        if (meant.isPresent()) {
            return ", did you mean " + prefix + meant.get() + "?";
        }
        String first = typed.toLowerCase(Locale.ROOT).split("[._-]", 2)[0];
        boolean known = keys.keySet().stream().anyMatch(key -> key.split("[._-]", 2)[0].equals(first));
        return "; config/fairlead.conf lists all keys"
                + (known ? "" : ", and a transport's keys need its module on the path");
    }
}
