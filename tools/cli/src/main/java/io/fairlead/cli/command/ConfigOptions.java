package io.fairlead.cli.command;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.names.NearestName;
import io.fairlead.internal.names.PolicyNames;
import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.TransportProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of every command that opens a context. */
public final class ConfigOptions {
    private static final String METRICS_PORT = "--metrics-port";

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Take the configuration from this file (default: fairlead.conf, if there is one).")
    private Optional<Path> file = Optional.empty();

    @Option(
            names = {"-s", "--set"},
            paramLabel = "KEY=VALUE",
            description = "Set a configuration key; overrides the file and the environment.")
    private Map<String, String> values = new LinkedHashMap<>();

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description = "Which paths may be taken: auto, require-rdma, tcp-only or a transport's name.")
    private Optional<String> policy = Optional.empty();

    @Option(
            names = "--metrics-port",
            paramLabel = "PORT",
            description =
                    "Serve metrics on this port of 127.0.0.1, at /metrics; 0 takes a free one, and processes that this"
                            + " one starts take the next ones (default: none).")
    private Optional<String> metricsPort = Optional.empty();

    /** Creates the options that nothing was given for. */
    public ConfigOptions() {}

    /**
     * Chooses the policy in place of the user.
     *
     * @param name a policy
     * @return the same options but for that
     */
    public ConfigOptions withPolicy(String name) {
        ConfigOptions copy = new ConfigOptions();
        copy.file = file;
        copy.values = values;
        copy.policy = Optional.of(name);
        copy.metricsPort = metricsPort;
        return copy;
    }

    /**
     * Reads the configuration.
     *
     * @return what the options, the environment and the file say, in this order
     * @throws io.fairlead.FairleadException {@code CONFIGURATION} with what is wrong and where
     */
    public FairleadConfig load() {
        FairleadConfig config = file.map(FairleadConfig::load).orElseGet(FairleadConfig::load);
        for (Map.Entry<String, String> entry : values.entrySet()) {
            config = with(config, key(config, entry.getKey()), entry.getValue(), "--set");
        }
        if (policy.isPresent()) {
            config = with(config, ConfigKeys.POLICY, policy.get(), "--policy");
        }
        if (metricsPort.isPresent()) {
            config = with(config, ConfigKeys.METRICS_PORT, metricsPort.get(), METRICS_PORT);
        }
        checkTransports(config);
        return config;
    }

    /** Refuses names of transports that are not there, and a policy that names one which is left out, before any process is started with them. */
    private static void checkTransports(FairleadConfig config) {
        String named = config.value(ConfigKeys.TRANSPORTS);
        if (named.isEmpty()) {
            return;
        }
        List<String> present = transports();
        List<String> allowed = List.of(named.split(","));
        String origin = " (" + config.origin(ConfigKeys.TRANSPORTS).replace("code", "--set") + ")";
        allowed.stream().filter(name -> !present.contains(name)).findFirst().ifPresent(name -> {
            throw CommandFailure.usage("no such transport: transports=" + named + ", transport=" + name + ", one of "
                    + String.join(", ", present.stream().sorted().toList()) + origin);
        });
        PathPolicy policy = config.value(ConfigKeys.POLICY);
        if (present.contains(policy.toString()) && !allowed.contains(policy.toString())) {
            throw CommandFailure.usage("policy=" + policy + " names a transport that is left out: transports=" + named
                    + origin + "; add it there or change the policy");
        }
    }

    private static ConfigKey<?> key(FairleadConfig config, String name) {
        List<String> names = config.keys().stream().map(ConfigKey::name).toList();
        return config.keys().stream()
                .filter(key -> key.name().equals(name))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("unknown key: key=" + name
                        + NearestName.of(name, names)
                                .map(nearest -> ", did you mean " + nearest + "?")
                                .orElse("; config/fairlead.conf lists all keys")
                        + " (--set)"));
    }

    private static <T> FairleadConfig with(FairleadConfig config, ConfigKey<T> key, String text, String option) {
        try {
            T value = key.parse(text);
            if (value instanceof PathPolicy configured) {
                PolicyNames.problem(configured, transports()).ifPresent(problem -> {
                    throw CommandFailure.usage(problem + " (" + option + ")");
                });
            }
            return config.with(key, value);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage() + " (" + option + ")");
        }
    }

    private static List<String> transports() {
        return TransportProviders.present().stream()
                .map(TransportProvider::name)
                .toList();
    }

    /**
     * For a command that uses every available transport, including transports that are used only by name.
     *
     * @param config a configuration
     * @return the same with every transport named, unless it names some itself
     */
    public static FairleadConfig withEveryTransport(FairleadConfig config) {
        return config.value(ConfigKeys.TRANSPORTS).isBlank()
                ? config.with(ConfigKeys.TRANSPORTS, String.join(",", transports()))
                : config;
    }

    /**
     * Writes the options for a child process that serves metrics on a port of its own.
     *
     * @param number distinguishes it from others with the same options, 0 and up
     * @return arguments that mean the same, but for the metrics' port: that plus the number, where it is not 0 or none
     */
    public List<String> toArguments(int number) {
        int port = load().value(ConfigKeys.METRICS_PORT);
        return toArguments(METRICS_PORT + "=" + (port > 0 ? port + number : port));
    }

    /**
     * Writes the options for a child process that serves no metrics, whatever file and environment say.
     *
     * @return arguments that mean the same otherwise
     */
    public List<String> toArguments() {
        return toArguments(METRICS_PORT + "=-1");
    }

    private List<String> toArguments(String metrics) {
        List<String> arguments = new ArrayList<>();
        file.ifPresent(path -> arguments.add("--config=" + path));
        values.forEach((key, value) -> arguments.add("--set=" + key + "=" + value));
        policy.ifPresent(text -> arguments.add("--policy=" + text));
        arguments.add(metrics);
        return arguments;
    }
}
