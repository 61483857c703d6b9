package io.fairlead.discovery.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.fairlead.FairleadException;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Registrar;
import io.fairlead.node.discovery.ServiceName;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a key with a lease for a member. On one thread. */
final class EtcdRegistrar implements Registrar {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdRegistrar.class);
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    private final ServiceName name;
    private final DiscoveryContext context;
    private final Cluster cluster;
    private final ByteSequence key;
    private final ByteSequence value;
    /** 0 before there is one. */
    private long lease;

    EtcdRegistrar(ServiceName name, Member member, DiscoveryContext context) {
        this.name = name;
        this.context = context;
        this.cluster = new Cluster(name);
        this.key = Cluster.bytes(name.target() + "/" + UUID.randomUUID());
        this.value = Cluster.bytes(Member.text(member.address()) + " " + member.name());
    }

    @Override
    public Duration renew(Duration timeout) throws InterruptedException {
        long deadlineNs = System.nanoTime() + timeout.toNanos();
        if (lease == 0 || !isKept(left(deadlineNs))) {
            long leaseS = Math.max(1, context.lease().toSeconds());
            lease = cluster.await(cluster.client().getLeaseClient().grant(leaseS), left(deadlineNs))
                    .getID();
            cluster.await(
                    cluster.client()
                            .getKVClient()
                            .put(
                                    key,
                                    value,
                                    PutOption.builder().withLeaseId(lease).build()),
                    left(deadlineNs));
        }
        return context.lease().dividedBy(3);
    }

    /** Renews the lease; false if etcd has forgotten it, or the key. */
    private boolean isKept(Duration timeout) throws InterruptedException {
        try {
            cluster.await(cluster.client().getLeaseClient().keepAliveOnce(lease), timeout);
        } catch (FairleadException failure) {
            if (String.valueOf(failure.getMessage()).contains("lease not found")) {
                return false;
            }
            throw failure;
        }
        return cluster.await(
                                cluster.client()
                                        .getKVClient()
                                        .get(
                                                key,
                                                GetOption.builder()
                                                        .withCountOnly(true)
                                                        .build()),
                                timeout)
                        .getCount()
                > 0;
    }

    private static Duration left(long deadlineNs) {
        return Duration.ofNanos(Math.max(1_000_000, deadlineNs - System.nanoTime()));
    }

    @Override
    public void close() {
        Client client = cluster.present();
        if (client != null && lease != 0) {
            try {
                cluster.await(client.getLeaseClient().revoke(lease), FAREWELL);
            } catch (FairleadException failure) {
                LOG.info("an entry is left to go with its lease; name={}, cause: {}", name, failure.getMessage());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        cluster.close();
    }
}
