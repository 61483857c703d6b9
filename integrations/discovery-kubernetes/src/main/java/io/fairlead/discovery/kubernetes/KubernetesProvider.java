package io.fairlead.discovery.kubernetes;

import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ResolverProvider;
import io.fairlead.node.discovery.ServiceName;

/**
 * Members of {@code k8s:SERVICE[.NAMESPACE]:PORT} are the ready endpoints of that service's EndpointSlices. The port is a number, or its
 * name in the slices. The pod, or else the user's kubeconfig, determines the cluster, and the namespace if none is named. The service
 * loader makes one.
 */
public final class KubernetesProvider implements ResolverProvider {
    private static final String LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";

    /** For the service loader. */
    public KubernetesProvider() {}

    @Override
    public String scheme() {
        return "k8s";
    }

    @Override
    public String form() {
        return "k8s:SERVICE.NAMESPACE:PORT, where the port is a number or a name";
    }

    @Override
    public Resolver resolver(ServiceName name, DiscoveryContext context) {
        if (!name.authority().isEmpty()) {
            throw name.malformed("the cluster is the pod's own, or that of the kubeconfig", form());
        }
        int colon = name.target().lastIndexOf(':');
        String port = name.target().substring(colon + 1);
        String[] labels = name.target().substring(0, Math.max(colon, 0)).split("\\.", -1);
        if (colon < 0 || labels.length > 2 || !isPort(port)) {
            throw name.malformed("it is not a service, a namespace and a port", form());
        }
        for (String label : labels) {
            if (!label.matches(LABEL)) {
                throw name.malformed("Kubernetes allows no such name: \"" + label + "\"", form());
            }
        }
        return new KubernetesResolver(name, labels[0], labels.length > 1 ? labels[1] : "", port, context);
    }

    private static boolean isPort(String port) {
        return port.matches("[0-9]{1,5}")
                ? Integer.parseInt(port) >= 1 && Integer.parseInt(port) <= 65535
                : port.matches(LABEL);
    }
}
