package io.fairlead.discovery.kubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceList;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ServiceName;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the EndpointSlices of a service, and watches them. Belongs to one thread; the watch's notifications run on others. */
final class KubernetesResolver implements Resolver {
    private static final String SERVICE_LABEL = "kubernetes.io/service-name";
    /** The client has numbers of its own for what was no answer. */
    private static final int HTTP_MIN = 100;

    private static final int NOT_FOUND = 404;
    /** The watch notifies of changes; this period bounds how long a missed one stays unseen. */
    private static final Duration VALID_FOR = Duration.ofSeconds(30);

    private final ServiceName name;
    private final String service;
    private final String namespace;
    private final String port;
    private final DiscoveryContext context;
    private @Nullable KubernetesClient client;
    private @Nullable Watch watch;
    private volatile boolean watchEnded;

    KubernetesResolver(ServiceName name, String service, String namespace, String port, DiscoveryContext context) {
        this.name = name;
        this.service = service;
        this.namespace = namespace;
        this.port = port;
        this.context = context;
    }

    @Override
    public Resolution resolve(Duration timeout) throws InterruptedException {
        try {
            FilterWatchListDeletable<EndpointSlice, EndpointSliceList, Resource<EndpointSlice>> slices =
                    slices(timeout);
            EndpointSliceList list = slices.list();
            watch(slices, list.getMetadata().getResourceVersion());
            return new Resolution(members(list.getItems()), VALID_FOR);
        } catch (KubernetesClientException failure) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Reason reason = failure.getCode() < HTTP_MIN
                    ? Reason.CONNECTION_REFUSED
                    : failure.getCode() == NOT_FOUND ? Reason.UNKNOWN_HOST : Reason.REFUSED;
            throw new FairleadException(
                    reason,
                    "Kubernetes has refused, or cannot be reached: name=" + name + ", status=" + failure.getCode()
                            + ", cause: " + failure.getMessage()
                            + "; let the pod's service account list and watch endpointslices",
                    failure);
        }
    }

    private FilterWatchListDeletable<EndpointSlice, EndpointSliceList, Resource<EndpointSlice>> slices(
            Duration timeout) {
        KubernetesClient running = client;
        if (running == null) {
            int timeoutMs = Math.toIntExact(Math.max(1, timeout.toMillis()));
            Config config = new ConfigBuilder()
                    .withConnectionTimeout(timeoutMs)
                    .withRequestTimeout(timeoutMs)
                    // Whoever asks asks again.
                    .withRequestRetryBackoffLimit(0)
                    .build();
            running = new KubernetesClientBuilder().withConfig(config).build();
            client = running;
        }
        String in = namespace.isEmpty() ? running.getNamespace() : namespace;
        return running.discovery()
                .v1()
                .endpointSlices()
                .inNamespace(in == null ? "default" : in)
                .withLabel(SERVICE_LABEL, service);
    }

    private void watch(
            FilterWatchListDeletable<EndpointSlice, EndpointSliceList, Resource<EndpointSlice>> slices,
            String fromVersion) {
        Watch running = watch;
        if (running != null && !watchEnded) {
            return;
        }
        if (running != null) {
            running.close();
        }
        watchEnded = false;
        watch = slices.withResourceVersion(fromVersion).watch(new Watcher<>() {
            @Override
            public void eventReceived(Action action, EndpointSlice slice) {
                context.changed();
            }

            @Override
            public void onClose() {
                endWatch();
            }

            @Override
            public void onClose(WatcherException cause) {
                endWatch();
            }
        });
    }

    private void endWatch() {
        watchEnded = true;
        context.changed();
    }

    private List<Member> members(List<EndpointSlice> slices) {
        // A pod with addresses of both families is in slices of both: one connection is enough.
        Map<String, Member> members = new LinkedHashMap<>();
        slices.stream()
                .sorted(Comparator.comparing(EndpointSlice::getAddressType))
                .forEach(slice -> port(slice)
                        .ifPresent(number -> slice.getEndpoints().stream()
                                .filter(KubernetesResolver::isReady)
                                .forEach(endpoint -> {
                                    Member member = member(endpoint, number);
                                    members.putIfAbsent(member.name(), member);
                                })));
        return List.copyOf(members.values());
    }

    private Optional<Integer> port(EndpointSlice slice) {
        if (Character.isDigit(port.charAt(0))) {
            return Optional.of(Integer.valueOf(port));
        }
        return slice.getPorts().stream()
                .filter(each -> port.equals(each.getName()))
                .map(EndpointPort::getPort)
                .findFirst();
    }

    /** By the API's rule an endpoint whose state is not known counts as ready. */
    private static boolean isReady(Endpoint endpoint) {
        return !endpoint.getAddresses().isEmpty()
                && (endpoint.getConditions() == null
                        || !Boolean.FALSE.equals(endpoint.getConditions().getReady()));
    }

    private static Member member(Endpoint endpoint, int port) {
        InetSocketAddress address =
                new InetSocketAddress(endpoint.getAddresses().getFirst(), port);
        return endpoint.getTargetRef() == null || endpoint.getTargetRef().getName() == null
                ? Member.at(address)
                : Member.of(endpoint.getTargetRef().getName(), address);
    }

    @Override
    public void close() {
        Watch running = watch;
        if (running != null) {
            running.close();
        }
        KubernetesClient made = client;
        if (made != null) {
            made.close();
        }
    }
}
