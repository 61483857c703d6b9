package io.fairlead.discovery.zookeeper;

import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Registrar;
import io.fairlead.node.discovery.ServiceName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps an ephemeral node for a member. On one thread. */
final class ZooKeeperRegistrar implements Registrar {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperRegistrar.class);

    private final ServiceName name;
    private final Member member;
    private final DiscoveryContext context;
    private final Ensemble ensemble;
    /** Of this registration alone: what a process has left behind that has died is another's, and goes with its session. */
    private final String path;

    ZooKeeperRegistrar(ServiceName name, Member member, DiscoveryContext context) {
        this.name = name;
        this.member = member;
        this.context = context;
        this.ensemble = new Ensemble(name, context);
        this.path = ensemble.path() + "/" + UUID.randomUUID();
    }

    @Override
    public Duration renew(Duration timeout) throws InterruptedException {
        ensemble.ask(timeout, client -> {
            Stat present = client.checkExists().forPath(path);
            long session = client.getZookeeperClient().getZooKeeper().getSessionId();
            if (present != null && present.getEphemeralOwner() != session) {
                // Of a session before this one, with which it would go.
                delete(client);
                present = null;
            }
            if (present == null) {
                create(client);
            }
            return path;
        });
        return context.lease().dividedBy(3);
    }

    private void create(CuratorFramework client) throws Exception {
        byte[] data = (Member.text(member.address()) + " " + member.name()).getBytes(StandardCharsets.UTF_8);
        try {
            client.create()
                    .creatingParentsIfNeeded()
                    .withMode(CreateMode.EPHEMERAL)
                    .forPath(path, data);
        } catch (KeeperException.NodeExistsException made) {
            // By an attempt whose answer was lost.
        }
    }

    private void delete(CuratorFramework client) throws Exception {
        try {
            client.delete().forPath(path);
        } catch (KeeperException.NoNodeException gone) {
            // As wanted.
        }
    }

    @Override
    public void close() {
        CuratorFramework client = ensemble.present();
        if (client != null && client.getZookeeperClient().isConnected()) {
            try {
                delete(client);
            } catch (Exception failure) {
                LOG.info("an entry is left to go with its session; name={}, cause: {}", name, failure.getMessage());
            }
        }
        ensemble.close();
    }
}
