package io.fairlead.testkit.roce;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A hostile peer for tests: it reads and writes remote memory with forged keys and with a key of a closed region, and reports for each attempt whether it
 * succeeded. {@link #run} belongs to one thread; {@link #stop} may be called from any.
 */
public final class RoceHostile {
    private static final int LENGTH = GuardedRegion.LENGTH;
    private static final byte MARK = 0x11;
    private static final long LIMIT_MS = 15_000;
    /** The time to wait for a second completion, which must not come. */
    private static final long AFTERMATH_MS = 300;

    private final InetSocketAddress address;
    private final Path revokeAt;
    private final Consumer<String> out;
    private final StopRequest stop = new StopRequest();

    /**
     * Makes a hostile peer, which does nothing until {@link #run}.
     *
     * @param address the address on which a {@link RocePeer} listens
     * @param revokeAt the file that makes that peer close its region; created after the attempts on the open region
     * @param out takes the report, line by line
     */
    public RoceHostile(InetSocketAddress address, Path revokeAt, Consumer<String> out) {
        this.address = address;
        this.revokeAt = revokeAt;
        this.out = out;
    }

    /** The operations that are attempted with a key. */
    private enum Reach {
        GET,
        PUT
    }

    /**
     * An attempt with a forged key or with the key of a closed region.
     *
     * @param shift by how many bytes the forged key moves the beginning of the region
     * @param offset the offset to access in that region
     * @param afterClose whether the owner has closed the region before
     */
    private record Lie(String name, Reach reach, long shift, long offset, boolean afterClose) {}

    private static final List<Lie> LIES = List.of(
            new Lie("get beyond the region", Reach.GET, 0, LENGTH, false),
            new Lie("put beyond the region", Reach.PUT, 0, LENGTH, false),
            new Lie("put across its end", Reach.PUT, 0, LENGTH - 8, false),
            new Lie("put before the region", Reach.PUT, -LENGTH, 0, false),
            new Lie("get of a closed region", Reach.GET, 0, 0, true),
            new Lie("put to a closed region", Reach.PUT, 0, 0, true));

    /**
     * Makes every attempt once.
     *
     * @param config the configuration of its context
     * @throws IOException if the file cannot be made
     */
    public void run(FairleadConfig config) throws IOException {
        try (Arena arena = Arena.ofShared();
                Context context = Context.open(config);
                Worker worker = context.newWorker()) {
            stop.onRequest(worker::wakeup);
            RoceLink link = new RoceLink(worker, stop, out);
            MemorySegment buffers = arena.allocate(2L * LENGTH, LENGTH);
            for (Lie lie : LIES) {
                tell(lie, link, buffers);
            }
            link.say("ends in order");
        }
    }

    /** Ends the run in order. May be called from any thread. */
    public void stop() {
        stop.request();
    }

    private void tell(Lie lie, RoceLink link, MemorySegment buffers) throws IOException {
        Optional<Endpoint> connected = link.connect(address);
        if (connected.isEmpty()) {
            return;
        }
        Endpoint endpoint = connected.get();
        byte[] packed = link.key(endpoint, buffers);
        try (RemoteKey honest = endpoint.unpack(packed)) {
            boolean closed = Files.exists(revokeAt);
            Status before = closed ? Status.OK : link.await(done -> endpoint.get(buffers, 0, 8, honest, 0, done, 0));
            if (lie.afterClose && !closed) {
                Files.createFile(revokeAt);
                link.progressUntil(honest::isRevoked, LIMIT_MS);
            }
            // Unpacked only now, so that its revocation is not reported yet.
            try (RemoteKey forged = endpoint.unpack(ForgedKey.forge(endpoint, packed, lie.shift, 16L * LENGTH))) {
                reach(lie, link, endpoint, forged, buffers, before);
            }
        }
        link.sayHowItEnded(endpoint);
        endpoint.close();
    }

    /** An operation that was posted: how often it has completed, and with which status. */
    private static final class Posts {
        private final List<Status> endings = new ArrayList<>();
        private final List<Integer> counts = new ArrayList<>();

        void post(RoceLink.Posting posting) {
            int index = endings.size();
            endings.add(Status.OK);
            counts.add(0);
            long answer = posting.post(request -> end(index, request.status()));
            if (answer < 0) {
                end(index, Status.of(answer));
            }
        }

        private void end(int index, Status status) {
            endings.set(index, status);
            counts.set(index, counts.get(index) + 1);
        }

        boolean ended() {
            return counts.stream().allMatch(count -> count > 0);
        }

        boolean once() {
            return counts.stream().allMatch(count -> count == 1);
        }
    }

    private static void reach(
            Lie lie, RoceLink link, Endpoint endpoint, RemoteKey key, MemorySegment buffers, Status before) {
        MemorySegment loot = buffers.asSlice(0, LENGTH).fill(MARK);
        MemorySegment poison = buffers.asSlice(LENGTH, LENGTH).fill(MARK);
        Posts posts = new Posts();
        long began = System.nanoTime();
        if (lie.reach == Reach.GET) {
            posts.post(done -> endpoint.get(loot, 0, LENGTH, key, lie.offset, done, 0));
        } else {
            posts.post(done -> endpoint.put(poison, 0, LENGTH, key, lie.offset, done, 0));
        }
        posts.post(done -> endpoint.flush(done));
        posts.post(done -> endpoint.send(poison, 0, 8, 3, done, 0));
        posts.post(done -> endpoint.receive(poison, 0, 8, 4, Worker.FULL_TAG_MASK, done, 0));
        link.progressUntil(posts::ended, LIMIT_MS);
        long afterMs = RoceLink.sinceMs(began);
        link.progressUntil(() -> false, AFTERMATH_MS);
        boolean untold = lie.reach == Reach.GET ? posts.endings.get(0) != Status.OK : posts.endings.get(1) != Status.OK;
        boolean refused = before == Status.OK
                && untold
                && posts.once()
                && endpoint.state() != EndpointState.CONNECTED
                && untouched(loot);
        link.say((refused ? "refused" : "GOT THROUGH") + ": " + lie.name + ", honest get before " + before + ", "
                + lie.reach + ", flush, send and receive ended " + posts.endings + ", times=" + posts.counts + ", read="
                + (untouched(loot) ? "nothing" : "SOMETHING") + ", endpoint=" + endpoint.state() + ", after " + afterMs
                + " ms");
    }

    private static boolean untouched(MemorySegment loot) {
        for (long i = 0; i < loot.byteSize(); i++) {
            if (loot.get(ValueLayout.JAVA_BYTE, i) != MARK) {
                return false;
            }
        }
        return true;
    }
}
