package io.fairlead.discovery.etcd;

import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Registrar;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ResolverProvider;
import io.fairlead.node.discovery.ServiceName;

/**
 * Members of {@code etcd://HOST:PORT,.../PREFIX} are the keys below that prefix and a slash, whose values are {@code HOST:PORT NAME}. Registered members have
 * a lease. The service loader makes one.
 */
public final class EtcdProvider implements ResolverProvider {
    /** For the service loader. */
    public EtcdProvider() {}

    @Override
    public String scheme() {
        return "etcd";
    }

    @Override
    public String form() {
        return "etcd://HOST:PORT,HOST:PORT,.../PREFIX";
    }

    @Override
    public Resolver resolver(ServiceName name, DiscoveryContext context) {
        check(name);
        return new EtcdResolver(name, context);
    }

    @Override
    public Registrar registrar(ServiceName name, Member member, DiscoveryContext context) {
        check(name);
        return new EtcdRegistrar(name, member, context);
    }

    private void check(ServiceName name) {
        if (name.authority().isEmpty()) {
            throw name.malformed("it names no server", form());
        }
        for (String server : name.authority().split(",", -1)) {
            try {
                Member.parse(server);
            } catch (IllegalArgumentException noAddress) {
                throw name.malformed(String.valueOf(noAddress.getMessage()), form());
            }
        }
        if (name.target().endsWith("/")) {
            throw name.malformed("its prefix ends in a slash, which is added", form());
        }
    }
}
