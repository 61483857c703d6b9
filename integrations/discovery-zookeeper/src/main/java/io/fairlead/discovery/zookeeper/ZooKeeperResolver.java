package io.fairlead.discovery.zookeeper;

import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ServiceName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the children of a node, and watches them. On one thread. */
final class ZooKeeperResolver implements Resolver {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperResolver.class);
    /** The watch notifies of changes; this period bounds how long a missed one stays unseen. */
    private static final Duration VALID_FOR = Duration.ofSeconds(30);

    private final ServiceName name;
    private final Ensemble ensemble;
    private final CuratorWatcher watcher;
    /** Entries do not change: a member that moves makes another one. */
    private Map<String, Member> known = new HashMap<>();

    ZooKeeperResolver(ServiceName name, DiscoveryContext context) {
        this.name = name;
        this.ensemble = new Ensemble(name, context);
        this.watcher = _ -> context.changed();
    }

    @Override
    public Resolution resolve(Duration timeout) throws InterruptedException {
        List<Member> members = ensemble.ask(timeout, this::members);
        return new Resolution(members, VALID_FOR);
    }

    private List<Member> members(CuratorFramework client) throws Exception {
        List<String> children;
        try {
            children = client.getChildren().usingWatcher(watcher).forPath(ensemble.path());
        } catch (KeeperException.NoNodeException nobodyYet) {
            if (client.checkExists().usingWatcher(watcher).forPath(ensemble.path()) != null) {
                // Made in between.
                return members(client);
            }
            return List.of();
        }
        Map<String, Member> now = new HashMap<>();
        List<Member> members = new ArrayList<>();
        for (String child : new TreeSet<>(children)) {
            Member member = known.get(child);
            if (member == null) {
                member = read(client, child);
            }
            if (member != null) {
                now.put(child, member);
                members.add(member);
            }
        }
        known = now;
        return members;
    }

    private @Nullable Member read(CuratorFramework client, String child) throws Exception {
        try {
            byte[] data = client.getData().forPath(ensemble.path() + "/" + child);
            String[] words = new String(data, StandardCharsets.UTF_8).strip().split(" ", 2);
            return Member.of(words.length > 1 ? words[1] : child, Member.resolve(words[0]));
        } catch (KeeperException.NoNodeException goneMeanwhile) {
            return null;
        } catch (IllegalArgumentException malformed) {
            LOG.warn("an entry of a service is left out; name={}, entry={}, {}", name, child, malformed.getMessage());
            return null;
        }
    }

    @Override
    public void close() {
        ensemble.close();
    }
}
