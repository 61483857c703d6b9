package io.fairlead.discovery.zookeeper;

import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Registrar;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ResolverProvider;
import io.fairlead.node.discovery.ServiceName;
import java.util.List;

/**
 * Members of {@code zk://HOST:PORT,.../PATH} are the children of that node, whose data is {@code HOST:PORT NAME}. Registered members are ephemeral nodes. The
 * service loader makes one.
 */
public final class ZooKeeperProvider implements ResolverProvider {
    /** For the service loader. */
    public ZooKeeperProvider() {}

    @Override
    public String scheme() {
        return "zk";
    }

    @Override
    public String form() {
        return "zk://HOST:PORT,HOST:PORT,.../PATH";
    }

    @Override
    public Resolver resolver(ServiceName name, DiscoveryContext context) {
        check(name);
        return new ZooKeeperResolver(name, context);
    }

    @Override
    public Registrar registrar(ServiceName name, Member member, DiscoveryContext context) {
        check(name);
        return new ZooKeeperRegistrar(name, member, context);
    }

    private void check(ServiceName name) {
        if (name.authority().isEmpty()) {
            throw name.malformed("it names no server", form());
        }
        for (String server : List.of(name.authority().split(",", -1))) {
            try {
                Member.parse(server);
            } catch (IllegalArgumentException noAddress) {
                throw name.malformed(String.valueOf(noAddress.getMessage()), form());
            }
        }
        String path = name.target();
        if (path.startsWith("/")
                || path.endsWith("/")
                || path.contains("//")
                || (path + "/").matches("(.*/)?\\.\\.?/.*")) {
            throw name.malformed("its path has an empty part, or one of dots", form());
        }
    }
}
