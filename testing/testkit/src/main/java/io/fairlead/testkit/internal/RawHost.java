package io.fairlead.testkit.internal;

import io.fairlead.AccessRight;
import io.fairlead.ActiveMessage;
import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.spi.Arrival;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.LocalRegion;
import io.fairlead.spi.Operation;
import io.fairlead.spi.RegionProof;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The core's side of one endpoint: regions by number, and everything that the transport has reported. */
public final class RawHost implements EndpointHost {
    private final int id;
    private final int sourceId;
    private final boolean connector;
    private final int connection;
    private final Map<Long, Region> regions = new HashMap<>();
    public final List<Long> signals = new ArrayList<>();
    /** The headers of active messages whose payload stayed at the peer. */
    public final List<byte[]> headers = new ArrayList<>();

    public final List<Long> received = new ArrayList<>();
    public int messages;
    /** Where messages go; null to refuse them. */
    public @Nullable MemorySegment room;

    public int holders;

    /** Whether its endpoint may leave its lanes; what it has sent then, and why it has left. */
    public boolean mayLeaveLanes;

    public final Queue<byte[]> frames = new ArrayDeque<>();
    public @Nullable String leftFor;
    /** How often it has gone back, and why it has stayed last. */
    public int returns;

    public @Nullable String stayedFor;

    public @Nullable FairleadException failure;

    public RawHost(int id, int sourceId, boolean connector) {
        this(id, sourceId, connector, 0);
    }

    /** The two ends of a connection have the same number, which stands for its secret. */
    public RawHost(int id, int sourceId, boolean connector, int connection) {
        this.id = id;
        this.sourceId = sourceId;
        this.connector = connector;
        this.connection = connection;
    }

    public void region(long number, MemorySegment segment, Set<AccessRight> rights) {
        regions.put(number, new Region(segment, rights));
    }

    private final class Region implements LocalRegion {
        private final MemorySegment segment;
        private final Set<AccessRight> rights;

        Region(MemorySegment segment, Set<AccessRight> rights) {
            this.segment = segment;
            this.rights = rights;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public boolean allows(AccessRight right) {
            return rights.contains(right);
        }

        @Override
        public void release() {
            holders--;
        }
    }

    @Override
    public @Nullable Arrival arrived(long tag, long length, Arrival.Place place) {
        messages++;
        MemorySegment target = room;
        return target == null ? null : new Matched(new Receive(target), tag, length);
    }

    private final class Receive extends FakeOperation {
        Receive(MemorySegment target) {
            super(target, 0);
        }

        @Override
        public void complete(Status outcome, long bytes, long value) {
            super.complete(outcome, bytes, value);
            if (outcome == Status.OK) {
                received.add(bytes);
            }
        }
    }

    @Override
    public @Nullable Arrival activeArrived(int number, int headerLength, long length) {
        if (!isActive(headerLength, length - headerLength) || length - headerLength > eagerMax()) {
            return refused(number, headerLength, length);
        }
        messages++;
        return new Matched(
                new Receive(Arena.ofAuto().allocate(Math.max(length, 1)).asSlice(0, length)), 0, length);
    }

    @Override
    public @Nullable Arrival activeAnnounced(
            int number, MemorySegment header, long offset, int headerLength, long length) {
        if (!isActive(headerLength, length) || length <= eagerMax()) {
            return refused(number, headerLength, length);
        }
        messages++;
        headers.add(header.asSlice(offset, headerLength).toArray(ValueLayout.JAVA_BYTE));
        return new Matched(null, 0, length);
    }

    private static boolean isActive(int headerLength, long length) {
        return headerLength >= 0 && headerLength <= ActiveMessage.HEADER_MAX && length >= 0;
    }

    private @Nullable Arrival refused(int number, int headerLength, long length) {
        failed(new FairleadException(
                FairleadException.Reason.PROTOCOL_VIOLATION,
                "active message out of range: number=" + number + ", headerLength=" + headerLength + ", length="
                        + length));
        return null;
    }

    /** A message that a receive was waiting for. */
    private static final class Matched extends Arrival {
        private final @Nullable Operation receive;
        private final long tag;
        private final long length;

        Matched(@Nullable Operation receive, long tag, long length) {
            this.receive = receive;
            this.tag = tag;
            this.length = length;
        }

        @Override
        public @Nullable Operation operation() {
            return receive;
        }

        @Override
        public long tag() {
            return tag;
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public void markWhole() {
            throw new IllegalStateException("it is matched");
        }
    }

    @Override
    public void signalled(long value) {
        signals.add(value);
    }

    @Override
    public void control(ByteBuffer frame) {
        throw new IllegalStateException("the control connection is the core's");
    }

    @Override
    public void heard() {
        // Nobody listens.
    }

    @Override
    public void failed(FairleadException cause) {
        if (failure != null) {
            throw new AssertionError("failed twice", cause);
        }
        failure = cause;
    }

    @Override
    public boolean mayLeaveLanes() {
        return mayLeaveLanes;
    }

    @Override
    public boolean trySendFrame(ByteBuffer frame) {
        byte[] copy = new byte[frame.remaining()];
        frame.get(copy);
        return frames.add(copy);
    }

    @Override
    public void leftLanes(String cause, long pauseNs, long replayed) {
        leftFor = cause;
    }

    @Override
    public void returnedToLanes(long pauseNs) {
        returns++;
    }

    @Override
    public void stayedOffLanes(String why) {
        stayedFor = why;
    }

    @Override
    public void wakePeer() {
        // Nobody sleeps.
    }

    @Override
    public void ended() {
        throw new IllegalStateException("the transport ends nothing by itself");
    }

    /** Here every region may be asked for: who may is the core's question. */
    @Override
    public void admitRegion(RegionProof proof) {
        // Nothing is remembered.
    }

    @Override
    public @Nullable LocalRegion acquireRegion(long regionId) {
        Region region = regions.get(regionId);
        if (region != null) {
            holders++;
        }
        return region;
    }

    @Override
    public int eagerMax() {
        return 64 << 10;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public byte[] pathKey(String label) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest((label + " " + connection).getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    @Override
    public int sourceId() {
        return sourceId;
    }

    @Override
    public boolean isConnector() {
        return connector;
    }

    @Override
    public String label() {
        return "#" + id + " to raw";
    }
}
