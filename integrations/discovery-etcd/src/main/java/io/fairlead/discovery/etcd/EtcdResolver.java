package io.fairlead.discovery.etcd;

import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.WatchOption;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ServiceName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the keys below a prefix, and watches them. Belongs to one thread; the watch's notifications run on others. */
final class EtcdResolver implements Resolver {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdResolver.class);
    /** The watch notifies of changes; this period bounds how long a missed one stays unseen. */
    private static final Duration VALID_FOR = Duration.ofSeconds(30);

    private final ServiceName name;
    private final DiscoveryContext context;
    private final Cluster cluster;
    private Watch.@Nullable Watcher watcher;
    private volatile boolean watchEnded;

    EtcdResolver(ServiceName name, DiscoveryContext context) {
        this.name = name;
        this.context = context;
        this.cluster = new Cluster(name);
    }

    @Override
    public Resolution resolve(Duration timeout) throws InterruptedException {
        GetResponse answer = cluster.await(
                cluster.client()
                        .getKVClient()
                        .get(
                                cluster.prefix(),
                                GetOption.builder().isPrefix(true).build()),
                timeout);
        watch(answer.getHeader().getRevision() + 1);
        List<Member> members = new ArrayList<>();
        for (KeyValue entry : answer.getKvs()) {
            String value = entry.getValue().toString(StandardCharsets.UTF_8).strip();
            String key = entry.getKey().toString(StandardCharsets.UTF_8);
            String[] words = value.split(" ", 2);
            try {
                members.add(Member.of(words.length > 1 ? words[1] : key, Member.resolve(words[0])));
            } catch (IllegalArgumentException malformed) {
                LOG.warn("an entry of a service is left out; name={}, key={}, {}", name, key, malformed.getMessage());
            }
        }
        return new Resolution(members, VALID_FOR);
    }

    private void watch(long fromRevision) {
        Watch.Watcher running = watcher;
        if (running != null && !watchEnded) {
            return;
        }
        if (running != null) {
            running.close();
        }
        watchEnded = false;
        watcher = cluster.client()
                .getWatchClient()
                .watch(
                        cluster.prefix(),
                        WatchOption.builder()
                                .isPrefix(true)
                                .withRevision(fromRevision)
                                .build(),
                        Watch.listener(_ -> context.changed(), _ -> endWatch(), this::endWatch));
    }

    private void endWatch() {
        watchEnded = true;
        context.changed();
    }

    @Override
    public void close() {
        Watch.Watcher running = watcher;
        if (running != null) {
            running.close();
        }
        cluster.close();
    }
}
