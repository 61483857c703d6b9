package io.fairlead.discovery.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.discovery.ServiceName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The servers of one name, and a client of theirs that is made when it is first needed. On one thread. */
final class Cluster {
    private final ServiceName name;
    private @Nullable Client client;

    Cluster(ServiceName name) {
        this.name = name;
    }

    Client client() {
        Client running = client;
        if (running == null) {
            running = Client.builder()
                    .endpoints(Arrays.stream(name.authority().split(",", -1))
                            .map(server -> "http://" + server)
                            .toArray(String[]::new))
                    // Whoever asks asks again.
                    .retryMaxAttempts(1)
                    .build();
            client = running;
        }
        return running;
    }

    /** The client, if there is one: for what is done at the end. */
    @Nullable Client present() {
        return client;
    }

    <T> T await(CompletableFuture<T> answer, Duration timeout) throws InterruptedException {
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            answer.cancel(true);
            throw new FairleadException(
                    Reason.TIMED_OUT,
                    "etcd does not answer: name=" + name + ", limit=" + timeout.toMillis()
                            + " ms; see that the servers run and are reached from here",
                    late);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new FairleadException(
                    Reason.CONNECTION_REFUSED,
                    "etcd has refused, or cannot be reached: name=" + name + ", cause: " + cause.getMessage()
                            + "; see that the servers run, and that the keys may be read, and written by who registers",
                    cause);
        }
    }

    ByteSequence prefix() {
        return bytes(name.target() + "/");
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    void close() {
        Client running = client;
        if (running != null) {
            running.close();
        }
    }
}
