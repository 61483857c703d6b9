package io.fairlead.internal.transports;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.TransportInfo;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.names.PolicyNames;
import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The transports of one context: the open ones, and why the others are not open. */
public final class OpenTransports {
    private static final Logger LOG = LoggerFactory.getLogger(OpenTransports.class);

    private final List<TransportInfo> infos = new ArrayList<>();
    private final Map<String, Transport> opened = new TreeMap<>();
    private final Map<String, String> causes = new TreeMap<>();
    /** The ranks of the transports within their class. */
    private final Map<String, Integer> ranks = new HashMap<>();

    /** The name of the transport that the context's policy names, or of the policy. */
    private final String policy;

    private OpenTransports(String policy) {
        this.policy = policy;
    }

    /**
     * Opens the configured transports that are usable on this host.
     *
     * @throws FairleadException if the configuration names an unknown one, or none is usable
     */
    public static OpenTransports open(FairleadConfig config, long incarnation) {
        Map<String, TransportProvider> present = new TreeMap<>();
        TransportProviders.present().forEach(provider -> present.putIfAbsent(provider.name(), provider));
        Set<String> wanted = wanted(config, present);
        PolicyNames.problem(config.value(ConfigKeys.POLICY), present.keySet()).ifPresent(problem -> {
            throw new FairleadException(Reason.CONFIGURATION, problem + " (" + config.origin(ConfigKeys.POLICY) + ")");
        });
        TransportSetup setup = new TransportSetup(config, incarnation);
        OpenTransports transports =
                new OpenTransports(config.value(ConfigKeys.POLICY).toString());
        present.forEach((name, provider) -> transports.add(name, provider, wanted.contains(name), setup));
        if (transports.opened.isEmpty()) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "no transport is available: "
                            + (transports.causes.isEmpty()
                                    ? "none was found; put fairlead-transport-tcp on the path"
                                    : transports.causes));
        }
        return transports;
    }

    private void add(String name, TransportProvider provider, boolean wanted, TransportSetup setup) {
        TransportInfo info =
                wanted ? open(name, provider, setup) : unavailable(name, "not among the configured transports");
        infos.add(info);
        ranks.put(name, rankOf(name, provider));
        if (!info.available()) {
            causes.put(name, info.cause());
        }
    }

    /** A provider whose rank throws an exception ranks last. */
    private static int rankOf(String name, TransportProvider provider) {
        try {
            return provider.rank();
        } catch (RuntimeException | Error thrown) {
            LOG.warn("the rank of transport {} is unknown", name, thrown);
            return Integer.MAX_VALUE;
        }
    }

    /** Opens one transport. An exception makes it unavailable, because the others work without it. */
    private TransportInfo open(String name, TransportProvider provider, TransportSetup setup) {
        Transport transport = null;
        try {
            Availability availability = provider.availability(setup.config());
            if (!availability.available()) {
                return unavailable(name, availability.cause());
            }
            transport = provider.open(setup);
            TransportInfo info = new TransportInfo(name, transport.version(), true, "", transport.capabilities());
            opened.put(name, transport);
            return info;
        } catch (Throwable thrown) {
            if (transport != null) {
                close(name, transport);
            }
            return unavailable(name, ThrownCause.logged(LOG, "a transport cannot be used", name, thrown));
        }
    }

    private static TransportInfo unavailable(String name, String cause) {
        return new TransportInfo(name, "", false, cause, Set.of());
    }

    private static Set<String> wanted(FairleadConfig config, Map<String, TransportProvider> present) {
        String text = config.value(ConfigKeys.TRANSPORTS);
        if (text.isBlank()) {
            return present.keySet();
        }
        Set<String> names = Set.copyOf(
                Arrays.stream(text.split(",", -1)).map(String::strip).distinct().toList());
        for (String name : names) {
            if (!present.containsKey(name)) {
                throw new FairleadException(
                        Reason.CONFIGURATION,
                        "configured transport was not found: transports=" + text + ", missing=" + name + ", found="
                                + present.keySet() + "; put its module on the path");
            }
        }
        return names;
    }

    /** Every transport that was found, available or not. */
    public List<TransportInfo> infos() {
        return List.copyOf(infos);
    }

    /** The open transports by name. */
    public Map<String, Transport> byName() {
        return opened;
    }

    /**
     * The names of the open transports in the order in which they may allocate regions: the one that the context's
     * policy names, then the best of a class first.
     */
    public List<String> byPreference() {
        return opened.keySet().stream()
                .sorted(Comparator.comparing((String name) -> !name.equals(policy))
                        .thenComparingInt(this::rank)
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** An open transport. */
    public Transport transport(String name) {
        return Objects.requireNonNull(opened.get(name), name);
    }

    /** The rank of a transport within its class; less is better. */
    public int rank(String transport) {
        return ranks.getOrDefault(transport, Integer.MAX_VALUE);
    }

    /** Why the other transports are not open. */
    public Map<String, String> causes() {
        return causes;
    }

    /** Closes every transport; a failure of one is logged and does not keep the others open. */
    public void close() {
        opened.forEach(OpenTransports::close);
    }

    private static void close(String name, Transport transport) {
        try {
            transport.close();
        } catch (RuntimeException | Error failure) {
            LOG.error("closing a transport failed; transport={}", name, failure);
        }
    }
}
