package io.fairlead.pubsub.internal;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.PubSubCounter;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.spi.CloseSteps;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A topic and the senders of its subscribers. */
final class LiveTopic implements Topic, TopicLog.Readers, ContextTotals.Source {
    private static final byte[] NO_CONTEXT = new byte[0];

    private final LivePublisher publisher;
    private final String name;
    private final TopicOptions options;
    private final TopicLog log;
    private final @Nullable SnapshotTable snapshot;
    private final long messageMax;
    private final ArrayList<StreamSender> senders = new ArrayList<>();
    private final SingleWriterCounter subscriberCount = new SingleWriterCounter();
    private final SingleWriterCounter bytesPublished = new SingleWriterCounter();
    private final SingleWriterCounter batchesSent = new SingleWriterCounter();
    private final SingleWriterCounter batchesInPlace = new SingleWriterCounter();
    private final SingleWriterCounter backPressureEvents = new SingleWriterCounter();
    private final SingleWriterCounter messagesDropped = new SingleWriterCounter();
    private final SingleWriterCounter slowDisconnected = new SingleWriterCounter();
    /** Queued with the publisher already. */
    private boolean dirty;

    private int sendersWithoutContexts;
    private boolean contextDropped;
    private boolean closed;
    /** It has closed, and had sent everything before. */
    private boolean closedSent;

    LiveTopic(LivePublisher publisher, String name, TopicOptions options, @Nullable SnapshotTable snapshot) {
        this.publisher = publisher;
        this.name = name;
        this.options = options;
        this.snapshot = snapshot;
        this.log = new TopicLog(options, this);
        this.messageMax = snapshot == null
                ? options.messageMax()
                : Math.min(options.messageMax(), snapshot.options().valueMax());
    }

    @Override
    public long publish(MemorySegment message, long offset, long length) {
        return publish(message, offset, length, MessageContext.EMPTY);
    }

    @Override
    public long publish(MemorySegment message, long offset, long length, MessageContext context) {
        if (keepsValues()) {
            throw new IllegalStateException(
                    "topic keeps the last value per key: topic=" + name + "; publish with a key");
        }
        return append(0, message, offset, length, context);
    }

    @Override
    public long publish(long key, MemorySegment message, long offset, long length) {
        return publish(key, message, offset, length, MessageContext.EMPTY);
    }

    @Override
    public long publish(long key, MemorySegment message, long offset, long length, MessageContext context) {
        if (!keepsValues()) {
            throw new IllegalStateException("topic keeps no values per key: topic=" + name
                    + "; publish without a key, or make it with SnapshotOptions.lastValues");
        }
        return append(key, message, offset, length, context);
    }

    /** Whether each message needs a key. */
    boolean keepsValues() {
        return snapshot != null && snapshot.keyed();
    }

    private long append(long key, MemorySegment message, long offset, long length, MessageContext context) {
        Objects.checkFromIndexSize(offset, length, message.byteSize());
        if (length > messageMax) {
            throw new IllegalArgumentException("message is too long for the topic: topic=" + name + ", length=" + length
                    + ", messageMax=" + messageMax + " bytes; raise messageMax, and valueMax of a snapshot");
        }
        if (closed) {
            return Endpoint.CLOSED;
        }
        long sequence = log.append(message, offset, length, carried(context));
        if (sequence == 0) {
            backPressureEvents.add(1);
            return Endpoint.BACK_PRESSURE;
        }
        bytesPublished.add(length);
        if (!dirty) {
            dirty = true;
            publisher.enqueue(this);
        }
        if (snapshot != null) {
            snapshot.store(key, sequence, message, offset, length);
        }
        return sequence;
    }

    /** The context as bytes; none if some subscriber does not support contexts, or if it fits no batch. */
    private byte[] carried(MessageContext context) {
        if (context.isEmpty() || sendersWithoutContexts > 0) {
            return NO_CONTEXT;
        }
        byte[] encoded = context.encode();
        if (encoded.length <= log.contextBytesMax()) {
            return encoded;
        }
        if (!contextDropped) {
            contextDropped = true;
            publisher.warn("left out a context that fits no batch, and others like it from now on: topic=" + name
                    + ", length=" + encoded.length + ", limit=" + log.contextBytesMax() + " bytes; raise batchBytes");
        }
        return NO_CONTEXT;
    }

    /** For the publisher's progress: sends what may be sent. */
    int dispatch() {
        dirty = false;
        int sends = 0;
        for (int i = 0; i < senders.size(); i++) {
            sends += senders.get(i).dispatch();
        }
        return sends;
    }

    @Override
    public void flush() {
        for (int i = 0; i < senders.size(); i++) {
            senders.get(i).dispatch();
        }
    }

    @Override
    public boolean relieve(Chunk oldest) {
        if (options.slowPolicy() == SlowPolicy.BLOCK) {
            return false;
        }
        for (int i = senders.size() - 1; i >= 0; i--) {
            StreamSender sender = senders.get(i);
            if (!sender.reads(oldest)) {
                continue;
            }
            if (options.slowPolicy() == SlowPolicy.DROP_OLDEST) {
                messagesDropped.add(sender.drop(oldest));
            } else {
                slowDisconnected.add(1);
                sender.end(new FairleadException(
                        Reason.LIMIT_REACHED,
                        "subscriber is too slow: topic=" + name + ", backlog=" + log.retainedBytes() + ", backlogBytes="
                                + options.backlogBytes() + " bytes; consume faster or raise backlogBytes"));
            }
        }
        return true;
    }

    @Override
    public void added(Chunk chunk) {
        for (int i = 0; i < senders.size(); i++) {
            senders.get(i).added(chunk);
        }
    }

    /** Accepts a subscriber, or says why not. */
    Optional<FairleadException> refusal(JoinRequest join) {
        if (join.messageMax() < messageMax) {
            return refused("topic permits longer messages than the subscriber accepts: topic=" + name + ", messageMax="
                    + messageMax + ", accepted=" + join.messageMax() + " bytes; raise SubscriptionOptions.messageMax");
        }
        if (join.startAt() == StartAt.SNAPSHOT && snapshot == null) {
            return refused("topic keeps no snapshot: topic=" + name
                    + "; make it with TopicOptions.withSnapshot, or start at NEXT");
        }
        if (senders.size() >= options.subscribersMax()) {
            return refused("topic has as many subscribers as it permits: topic=" + name + ", subscribersMax="
                    + options.subscribersMax() + "; raise it");
        }
        return Optional.empty();
    }

    private static Optional<FairleadException> refused(String message) {
        return Optional.of(new FairleadException(Reason.REFUSED, message));
    }

    StreamSender join(SubscriberConnection peer, JoinRequest join) {
        boolean withSnapshot = snapshot != null && join.startAt() == StartAt.SNAPSHOT;
        byte[] key;
        try {
            key = withSnapshot ? Objects.requireNonNull(snapshot).packedKey(peer.endpoint()) : new byte[0];
        } catch (FairleadException noKey) {
            return StreamSender.refused(publisher, peer, join, 0, noKey);
        }
        JoinReply answer = new JoinReply(
                publisher.epoch(),
                log.lastSequence() + 1,
                messageMax,
                options.batchBytes(),
                withSnapshot ? options.snapshot() : Optional.empty(),
                key);
        StreamSender sender = StreamSender.joined(publisher, peer, this, join, answer);
        senders.add(sender);
        sendersWithoutContexts += sender.knowsContexts() ? 0 : 1;
        subscriberCount.set(senders.size());
        return sender;
    }

    void remove(StreamSender sender) {
        if (senders.remove(sender) && !sender.knowsContexts()) {
            sendersWithoutContexts--;
        }
        subscriberCount.set(senders.size());
    }

    /** Counts a batch that was sent, or {@code placed} where a subscriber reads it. */
    void countBatch(boolean placed) {
        batchesSent.add(1);
        if (placed) {
            batchesInPlace.add(1);
        }
    }

    /** From now on batches are where subscribers of this host can read them. */
    void share(Context context) {
        log.pool().share(bytes -> TopicRegion.allocate(context, name, bytes));
    }

    @Override
    public void warn(String message) {
        publisher.warn("topic=" + name + ", " + message);
    }

    TopicLog log() {
        return log;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public TopicOptions options() {
        return options;
    }

    @Override
    public long sequence() {
        return log.lastSequence();
    }

    @Override
    public int subscriberCount() {
        return (int) subscriberCount.value();
    }

    @Override
    public long bytesPublished() {
        return bytesPublished.value();
    }

    @Override
    public long batchesSent() {
        return batchesSent.value();
    }

    @Override
    public long backPressureEvents() {
        return backPressureEvents.value();
    }

    @Override
    public long messagesDropped() {
        return messagesDropped.value();
    }

    @Override
    public String topicName() {
        return name;
    }

    @Override
    public long count(PubSubCounter counter) {
        return switch (counter) {
            case PUBLISHED -> log.lastSequence();
            case BYTES_PUBLISHED -> bytesPublished.value();
            case BATCHES_SENT -> batchesSent.value();
            case BATCHES_IN_PLACE -> batchesInPlace.value();
            case BACK_PRESSURE_EVENTS -> backPressureEvents.value();
            case MESSAGES_DROPPED -> messagesDropped.value();
            case SLOW_DISCONNECTED -> slowDisconnected.value();
            case TOPICS -> 1;
            case SUBSCRIBERS -> subscriberCount.value();
            default -> 0;
        };
    }

    @Override
    public List<SubscriberStats> subscribers() {
        return senders.stream().map(StreamSender::stats).toList();
    }

    boolean drained() {
        return senders.stream().allMatch(StreamSender::drained);
    }

    /** Whether the subscribers were sent the messages up to this sequence number, and the transport is done with them. */
    boolean isSent(long sequence) {
        if (closed) {
            return closedSent;
        }
        for (int i = 0; i < senders.size(); i++) {
            if (!senders.get(i).isPast(sequence)) {
                return false;
            }
        }
        return !log.isInFlight(sequence);
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        close(new FairleadException(Reason.CLOSED, "topic was closed by its publisher: topic=" + name));
    }

    void close(FairleadException cause) {
        if (closed) {
            return;
        }
        closedSent = isSent(log.lastSequence());
        closed = true;
        CloseSteps.runAll(
                this::giveUpUnsent,
                // The last first, since each removes itself.
                () -> CloseSteps.runEach(List.copyOf(senders).reversed(), sender -> sender.end(cause)),
                log::close,
                () -> {
                    if (snapshot != null) {
                        snapshot.close();
                    }
                },
                () -> publisher.remove(this));
    }

    /** Drops what subscribers were not sent, and counts it. */
    void giveUpUnsent() {
        long messages = 0;
        int subscribers = 0;
        for (int i = 0; i < senders.size(); i++) {
            long count = senders.get(i).giveUp();
            messages += count;
            subscribers += count > 0 ? 1 : 0;
        }
        if (messages > 0) {
            messagesDropped.add(messages);
            publisher.warn("closed a topic with messages that were not sent: topic=" + name + ", messages=" + messages
                    + ", subscribers=" + subscribers + "; drain it before, or raise PublisherOptions.drainTimeout");
        }
    }
}
