package io.fairlead.testkit.roce;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.IdleStrategy;
import io.fairlead.Path;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** What the programs that connect to a {@link RocePeer} share: a worker's thread that waits, and reports what it sees. */
final class RoceLink {
    static final long KEY_TAG = 2;
    static final int KEY_LENGTH_MAX = 512;

    private final Worker worker;
    private final StopRequest stop;
    private final Consumer<String> out;
    private final IdleStrategy idle = IdleStrategy.backOff();

    RoceLink(Worker worker, StopRequest stop, Consumer<String> out) {
        this.worker = worker;
        this.out = out;
        this.stop = stop;
    }

    /** A line that the suites look for. */
    void say(String what) {
        out.accept("roce-peer: " + what);
    }

    static long sinceMs(long began) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    /** Makes progress until something is so, the time is over, or the process is to end. */
    void progressUntil(BooleanSupplier condition, long limitMs) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        while (!condition.getAsBoolean() && System.nanoTime() - until < 0 && !stop.requested()) {
            idle.idle(worker, worker.progress());
        }
    }

    /** A connected endpoint, or none if there was no connecting. */
    Optional<Endpoint> connect(InetSocketAddress address) {
        long began = System.nanoTime();
        Endpoint endpoint = worker.connect(address, EndpointHandler.NONE);
        while (endpoint.state() == EndpointState.CONNECTING && !stop.requested()) {
            idle.idle(worker, worker.progress());
        }
        if (endpoint.state() != EndpointState.CONNECTED) {
            endpoint.failure().ifPresent(cause -> say("not connected " + cause.reason() + ": " + cause.getMessage()));
            return Optional.empty();
        }
        say("connected after " + sinceMs(began) + " ms by "
                + endpoint.path()
                        .map(path -> path.transport() + " " + path.device())
                        .orElse("?"));
        say("the peer is " + endpoint.peerIdentity().name());
        endpoint.path().map(Path::toString).ifPresent(path -> say("path " + path));
        return Optional.of(endpoint);
    }

    /** The packed key that the listener sends to everyone who has connected. */
    byte[] key(Endpoint endpoint, MemorySegment buffer) {
        long[] length = new long[1];
        Status status = await(done -> endpoint.receive(
                buffer,
                0,
                KEY_LENGTH_MAX,
                KEY_TAG,
                Worker.FULL_TAG_MASK,
                request -> {
                    length[0] = request.length();
                    done.completed(request);
                },
                0));
        if (status != Status.OK) {
            throw new RoceException("the listener's key did not come: status=" + status);
        }
        return buffer.asSlice(0, length[0]).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Posts an operation that answers what the post of an endpoint answers. */
    interface Posting {
        long post(Completion done);
    }

    /** How an operation ends; {@code CANCELLED} too if the process is to end before it does. */
    Status await(Posting posting) {
        AtomicBoolean completed = new AtomicBoolean();
        Status[] status = {Status.OK};
        long answer = posting.post((Request request) -> {
            status[0] = request.status();
            completed.set(true);
        });
        if (answer < 0) {
            return Status.of(answer);
        }
        while (!completed.get() && !stop.requested()) {
            idle.idle(worker, worker.progress());
        }
        return completed.get() ? status[0] : Status.CANCELLED;
    }

    /** What an endpoint says of its end, which may come a moment later than the end of an operation. */
    void sayHowItEnded(Endpoint endpoint) {
        progressUntil(() -> endpoint.failure().isPresent(), TimeUnit.SECONDS.toMillis(5));
        endpoint.failure()
                .ifPresentOrElse(
                        cause -> say("failed " + cause.reason() + ": " + cause.getMessage()), () -> say("lives"));
    }
}
