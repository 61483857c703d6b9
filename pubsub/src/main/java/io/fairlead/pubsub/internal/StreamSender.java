package io.fairlead.pubsub.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.PathClass;
import io.fairlead.Request;
import io.fairlead.pubsub.SubscriberState;
import io.fairlead.pubsub.SubscriberStats;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The publisher's side of one subscription: where in the topic's log its subscriber is, and how much more it may be sent.
 *
 * <p>Sends straight from the log. A batch that is not full yet leaves only when no other is in flight, so that messages
 * gather while the transport is busy and none waits while it is idle.
 */
final class StreamSender {
    /** Batches that the transport may hold; what a subscriber can pin beyond the log's bound. */
    private static final int BATCHES_IN_FLIGHT_MAX = 16;
    /** Payloads of large messages that the transport may hold. */
    private static final int LARGE_IN_FLIGHT_MAX = 2;

    /** Most headers that are on their way: of batches, and of one JOINED or END and one REGION. */
    private static final int HEADERS = BATCHES_IN_FLIGHT_MAX + 2;
    // What a completion has of its message, beside the header and the chunk: a notice, by its index, or how a batch was
    // sent.
    private static final int JOINED = 0;
    private static final int END = 1;
    /** Offers a region. */
    private static final int REGION = 2;

    private static final int NOTICES = 3;
    private static final int BATCH_SENT = 3;
    private static final int LARGE_SENT = 4;
    private static final int PLACE_SENT = 5;

    private final LivePublisher publisher;
    private final SubscriberConnection peer;
    private final @Nullable LiveTopic topic;
    private final JoinRequest join;
    private final Endpoint endpoint;
    private final Completion completion = this::sent;
    private final Headers headers = new Headers(HEADERS);
    /** The subscriber may be able to read batches where they are. */
    private final boolean mayPlace;

    /** Those that are to be sent or are on their way. */
    private final @Nullable Frame[] notices = new Frame[NOTICES];
    /** Null as long as nothing is read in place. */
    private @Nullable InPlaceOut inPlace;

    /** What the header of a refusal says. */
    private long refusalValue;

    private boolean open;
    private boolean lost;
    /** Queued with the publisher already. */
    private boolean dirty;

    private final LogCursor cursor = new LogCursor();
    /** How far the newest batch was filled when it was left to grow. */
    private long usedBefore;

    /** Batches that the subscriber permits, from the start of the stream. */
    private long granted;

    private long batchesSent;
    private int batchesInFlight;
    private int largeInFlight;
    private int noticesInFlight;
    private long joinedSequence = 1;
    private long sentSequence;
    private long consumedSequence;

    /** A payload that belongs to no log: memory of its own, until it is sent. */
    private record Frame(Arena arena, MemorySegment segment, long length) {
        static Frame of(ToIntFunction<MemorySegment> encoder) {
            Arena arena = Arena.ofConfined();
            MemorySegment segment = arena.allocate(Wire.NOTICE_BYTES_MAX, 8);
            return new Frame(arena, segment, encoder.applyAsInt(segment));
        }
    }

    private StreamSender(
            LivePublisher publisher, SubscriberConnection peer, @Nullable LiveTopic topic, JoinRequest join) {
        this.publisher = publisher;
        this.peer = peer;
        this.topic = topic;
        this.join = join;
        this.endpoint = peer.endpoint();
        this.mayPlace =
                join.places() && endpoint.path().map(Path::pathClass).orElse(PathClass.TCP) == PathClass.SHARED_MEMORY;
    }

    /** A sender that is refused: it says so, with {@code value} in its header, and goes. */
    static StreamSender refused(
            LivePublisher publisher, SubscriberConnection peer, JoinRequest join, long value, FairleadException cause) {
        StreamSender sender = new StreamSender(publisher, peer, null, join);
        sender.notices[END] = Frame.of(segment -> Notice.encode(segment, cause));
        sender.refusalValue = value;
        sender.markDirty();
        return sender;
    }

    /** A sender that starts at the topic's next message. */
    static StreamSender joined(
            LivePublisher publisher, SubscriberConnection peer, LiveTopic topic, JoinRequest join, JoinReply answer) {
        StreamSender sender = new StreamSender(publisher, peer, topic, join);
        sender.open = true;
        sender.notices[JOINED] = Frame.of(answer::encode);
        sender.joinedSequence = answer.nextSequence();
        sender.sentSequence = answer.nextSequence() - 1;
        sender.consumedSequence = sender.sentSequence;
        sender.cursor.start(topic.log(), answer.nextSequence());
        sender.markDirty();
        return sender;
    }

    int stream() {
        return join.stream();
    }

    /** Whether messages go to it: not refused, ended or lost. */
    boolean open() {
        return open;
    }

    /** Whether the subscriber knows frames with contexts. */
    boolean knowsContexts() {
        return join.contexts();
    }

    boolean reads(Chunk candidate) {
        return cursor.chunk() == candidate;
    }

    /** Takes the next chunk if it waits for one. */
    void added(Chunk next) {
        if (open) {
            cursor.added(next);
        }
    }

    /** The subscriber's word; late and doubled ones change nothing. */
    void credit(long newGranted, long newConsumedSequence) throws Wire.Malformed {
        if (topic == null || newGranted < 0 || newGranted - batchesSent > 1L << 20) {
            throw new Wire.Malformed(
                    "credit out of range: granted=" + newGranted + ", sent=" + batchesSent + " batches");
        }
        if (newConsumedSequence > topic.log().lastSequence()) {
            throw new Wire.Malformed("consumed what was not published: consumedSequence=" + newConsumedSequence
                    + ", lastSequence=" + topic.log().lastSequence());
        }
        granted = Math.max(granted, newGranted);
        consumedSequence = Math.max(consumedSequence, newConsumedSequence);
        markDirty();
    }

    /** For the publisher: it has taken the sender from its queue. */
    void clearDirty() {
        dirty = false;
    }

    private void markDirty() {
        if (!dirty && !lost) {
            dirty = true;
            publisher.enqueue(this);
        }
    }

    /**
     * Sends what may be sent.
     *
     * @return how many sends were posted
     */
    int dispatch() {
        Frame joined = notices[JOINED];
        if (lost
                || (joined != null
                        && noticesInFlight == 0
                        && !sendNotice(JOINED, Wire.JOINED, joinedSequence, joined))) {
            return 0;
        }
        int before = (int) batchesSent;
        for (Chunk chunk = cursor.chunk(); open && chunk != null && advance(chunk); chunk = cursor.chunk()) {
            // Each round sends a batch or moves to the next chunk.
        }
        Frame end = notices[END];
        if (!open && end != null && noticesInFlight == 0) {
            boolean _ = topic == null
                    ? sendNotice(END, Wire.REFUSED, refusalValue, end)
                    : sendNotice(END, Wire.END, topic.log().lastSequence(), end);
        }
        return (int) batchesSent - before;
    }

    /** Sends the rest of a chunk, or leaves it; false if there is nothing to do about it now. */
    private boolean advance(Chunk current) {
        long available = current.used - cursor.offset();
        if (available == 0) {
            if (current.sealed) {
                cursor.leave(current);
                return true;
            }
            return false;
        }
        if (batchesSent >= granted || batchesInFlight >= BATCHES_IN_FLIGHT_MAX) {
            return false;
        }
        if (current.large ? largeInFlight >= LARGE_IN_FLIGHT_MAX : mayGrow(current)) {
            return false;
        }
        if (!send(current, cursor.offset(), available)) {
            return false;
        }
        cursor.exhaust(current);
        return true;
    }

    private boolean mayGrow(Chunk current) {
        return !current.sealed && (batchesInFlight > 0 || isGrowing(current));
    }

    private boolean send(Chunk current, long from, long length) {
        LiveTopic owner = requireTopic();
        InPlaceOut reads = placing(current, length);
        int kind = reads != null ? PLACE_SENT : current.large ? LARGE_SENT : BATCH_SENT;
        int header = headers.take();
        MemorySegment head = reads != null ? headers.place(header) : headers.head(header);
        int message = reads != null ? Wire.PLACE : Wire.BATCH;
        Wire.putHead(head, message, join.stream(), owner.log().lastSequence());
        if (reads != null) {
            reads.describe(head, current, from, length);
        }
        boolean posted = reads != null
                ? post(header, head, head, 0, 0, kind, current.index)
                : post(header, head, current.segment, from, length, kind, current.index);
        if (!posted) {
            return false;
        }
        if (reads != null) {
            reads.placed(current);
        } else {
            current.pins++;
        }
        batchesSent++;
        batchesInFlight++;
        largeInFlight += kind == LARGE_SENT ? 1 : 0;
        sentSequence = current.lastSequence;
        cursor.passTo(current.lastSequence);
        owner.countBatch(reads != null);
        return true;
    }

    private boolean post(
            int header, MemorySegment head, MemorySegment memory, long from, long length, int kind, int chunk) {
        long id = (long) chunk << 16 | (long) kind << 8 | header;
        long result = endpoint.sendActive(Wire.HANDLER, head, memory, from, length, completion, id);
        if (result >= 0) {
            return true;
        }
        headers.giveBack(header);
        if (result == Endpoint.BACK_PRESSURE) {
            // If the endpoint has ended instead, its handler reports that.
            markDirty();
        }
        return false;
    }

    /** How the subscriber finds a batch in place; null if the batch has to be sent. A region that the subscriber does not know is offered to it. */
    private @Nullable InPlaceOut placing(Chunk current, long length) {
        if (length < InPlaceOut.BYTES_MIN) {
            return null;
        }
        InPlaceOut reads = inPlace;
        if (reads == null) {
            if (!mayPlace) {
                return null;
            }
            requireTopic().share(endpoint.worker().context());
            reads = new InPlaceOut(endpoint);
            inPlace = reads;
        }
        if (current.region != null && reads.mayOffer(current.region)) {
            offer(reads, current.region);
        }
        return reads.canRead(current) ? reads : null;
    }

    private void offer(InPlaceOut reads, LogRegion unknown) {
        if (notices[REGION] != null) {
            return;
        }
        Frame offer = Frame.of(target -> reads.offer(unknown, target));
        if (offer.length() > 0 && sendNotice(REGION, Wire.REGION, 0, offer)) {
            notices[REGION] = offer;
            return;
        }
        offer.arena().close();
        // One that the subscriber cannot have stays, as if it were not answered: no other is offered.
        if (offer.length() > 0) {
            reads.withdraw();
        }
    }

    /**
     * Whether a batch should grow: the subscriber is busy with what it reads in place, and messages are still added. A subscriber that pauses gets it
     * once there are no more.
     */
    private boolean isGrowing(Chunk current) {
        if (inPlace == null || inPlace.unread() == 0 || usedBefore == current.used) {
            return false;
        }
        usedBefore = current.used;
        markDirty();
        return true;
    }

    /** The subscriber says how many regions it has mapped and how many batches it has read there. */
    void confirm(long mapped, long read) throws Wire.Malformed {
        if (inPlace == null) {
            throw new Wire.Malformed("confirmed what it was not told: mapped=" + mapped + ", read=" + read);
        }
        inPlace.confirm(mapped, read, requireTopic().log());
        markDirty();
    }

    private boolean sendNotice(int notice, int kind, long value, Frame frame) {
        int header = headers.take();
        MemorySegment head = headers.head(header);
        Wire.putHead(head, kind, join.stream(), value);
        if (!post(header, head, frame.segment, 0, frame.length, notice, 0)) {
            return false;
        }
        noticesInFlight++;
        return true;
    }

    private void sent(Request request) {
        long id = request.userData();
        int kind = (int) (id >>> 8) & 0xFF;
        headers.giveBack((int) id & 0xFF);
        if (kind < NOTICES) {
            noticesInFlight--;
            free(kind);
        } else {
            batchesInFlight--;
            largeInFlight -= kind == LARGE_SENT ? 1 : 0;
            if (kind != PLACE_SENT) {
                TopicLog log = requireTopic().log();
                log.unpin(log.pool().chunk((int) (id >> 16)));
            }
        }
        if (finished()) {
            headers.free();
            peer.release(this);
        } else {
            markDirty();
        }
    }

    private boolean finished() {
        return !lost && !open && notices[END] == null && idle();
    }

    private boolean idle() {
        return batchesInFlight + noticesInFlight == 0;
    }

    /** Whether everything published has been sent and the transport is done with it. */
    boolean drained() {
        return idle()
                && notices[JOINED] == null
                && (!open || cursor.passedSequence() == requireTopic().log().lastSequence());
    }

    /** Whether it has handed the messages up to this sequence number to the transport, or dropped them. */
    boolean isPast(long sequence) {
        return cursor.passedSequence() >= sequence;
    }

    /** Drops what was not handed to the transport, before the end; answers how many messages that were. */
    long giveUp() {
        return cursor.dropTo(requireTopic().log().lastSequence());
    }

    /** Drops what is left of the oldest chunk, and returns how many messages that were. */
    long drop(Chunk oldest) {
        long count = cursor.dropTo(oldest.lastSequence);
        cursor.leave(oldest);
        return count;
    }

    /** Sends nothing more but the reason. */
    void end(FairleadException cause) {
        if (!open) {
            return;
        }
        publisher.tell(stats(), cause);
        stop();
        notices[END] = Frame.of(segment -> Notice.encode(segment, cause));
        markDirty();
    }

    /** The endpoint has ended, and with it everything that was in flight. */
    void lose(FairleadException cause) {
        if (open) {
            publisher.tell(stats(), cause);
            stop();
        }
        lost = true;
        for (int notice = 0; notice < NOTICES; notice++) {
            free(notice);
        }
        headers.free();
    }

    private void stop() {
        open = false;
        if (inPlace != null) {
            inPlace.abandon(requireTopic().log());
        }
        cursor.stop();
        requireTopic().remove(this);
    }

    private void free(int notice) {
        Frame frame = notices[notice];
        if (frame != null) {
            notices[notice] = null;
            frame.arena.close();
        }
    }

    private LiveTopic requireTopic() {
        if (topic == null) {
            throw new IllegalStateException("a refused stream has no topic: stream=" + join.stream());
        }
        return topic;
    }

    SubscriberStats stats() {
        long behind = requireTopic().log().lastSequence() - cursor.passedSequence();
        SubscriberState state = granted == 0
                ? SubscriberState.JOINING
                : behind > 0 && batchesSent >= granted ? SubscriberState.SLOW : SubscriberState.LIVE;
        return new SubscriberStats(
                join.subscriber(),
                join.topic(),
                endpoint.remoteAddress(),
                state,
                joinedSequence,
                sentSequence,
                consumedSequence,
                behind,
                cursor.dropped(),
                endpoint.path());
    }
}
