package io.fairlead.discovery.zookeeper;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.ServiceName;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/** The servers of one name, and a client of theirs that is made when it is first needed. On one thread. */
final class Ensemble {
    private static final int RETRY_MS = 100;

    /** What is asked of a server. */
    interface Question<T> {
        T ask(CuratorFramework client) throws Exception;
    }

    private final ServiceName name;
    private final DiscoveryContext context;
    private @Nullable CuratorFramework client;

    Ensemble(ServiceName name, DiscoveryContext context) {
        this.name = name;
        this.context = context;
    }

    String path() {
        return "/" + name.target();
    }

    <T> T ask(Duration timeout, Question<T> question) throws InterruptedException {
        CuratorFramework connected = connected(timeout);
        try {
            return question.ask(connected);
        } catch (InterruptedException | FairleadException own) {
            throw own;
        } catch (KeeperException.ConnectionLossException | KeeperException.SessionExpiredException lost) {
            throw noAnswer(timeout, lost.getMessage());
        } catch (Exception failure) {
            throw new FairleadException(
                    Reason.REFUSED,
                    "ZooKeeper refused: name=" + name + ", cause: " + failure.getMessage()
                            + "; see that the path may be read, and written by who registers",
                    failure);
        }
    }

    private CuratorFramework connected(Duration timeout) throws InterruptedException {
        CuratorFramework running = client;
        int timeoutMs = Math.toIntExact(Math.max(1, timeout.toMillis()));
        if (running == null) {
            running = CuratorFrameworkFactory.builder()
                    .connectString(name.authority())
                    .sessionTimeoutMs(Math.toIntExact(context.lease().toMillis()))
                    .connectionTimeoutMs(timeoutMs)
                    .retryPolicy(new RetryOneTime(RETRY_MS))
                    .build();
            running.getConnectionStateListenable().addListener((_, _) -> context.changed());
            running.start();
            client = running;
        }
        if (!running.blockUntilConnected(timeoutMs, TimeUnit.MILLISECONDS)) {
            throw noAnswer(timeout, "not connected");
        }
        return running;
    }

    private FairleadException noAnswer(Duration timeout, @Nullable String cause) {
        return new FairleadException(
                Reason.TIMED_OUT,
                "ZooKeeper does not answer: name=" + name + ", limit=" + timeout.toMillis() + " ms, cause: " + cause
                        + "; see that the servers run and are reached from here");
    }

    /** The client, if there is one: for what is done at the end. */
    @Nullable CuratorFramework present() {
        return client;
    }

    void close() {
        CuratorFramework running = client;
        if (running != null) {
            running.close();
        }
    }
}
