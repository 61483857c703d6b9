package io.fairlead.node.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.observation.MessageContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes the frames with contexts out of what arrives, and gives each message its own. Belongs to the loop's thread.
 *
 * <p>Messages that arrive behind a frame wait until it is read, which takes a turn; their order stays what it was. Endpoints that never
 * bring a frame are not even looked up.
 */
final class ContextIntake {
    /** A frame that has arrived whole is read in the next turn; more than a few turns means that it never will be. */
    private static final int TURNS_MAX = 4;

    /** What has arrived from one endpoint and is not offered yet. */
    private static final class Stream {
        private final Deque<Item> queue = new ArrayDeque<>();
        private MessageContext next = MessageContext.EMPTY;
        private boolean verbatim;
    }

    /** A message that waits for the frame before it, or a frame. */
    private static final class Item implements Completion {
        private final ContextIntake intake;
        private final Stream stream;
        private final ArrivedMessage message;
        /** Of a frame that is being received. */
        private NativePool.@Nullable Block block;

        private boolean done;
        private boolean arrived;

        private Item(ContextIntake intake, Stream stream, ArrivedMessage message) {
            this.intake = intake;
            this.stream = stream;
            this.message = message;
        }

        @Override
        public void completed(Request request) {
            end(request.status() == Status.OK);
        }

        private void end(boolean whole) {
            arrived = whole;
            done = true;
            intake.finished.add(stream);
        }
    }

    private final Inbox inbox;
    private final Worker worker;
    private final NativePool pool;
    private final IdentityHashMap<Endpoint, Stream> streams = new IdentityHashMap<>();
    private final Deque<Stream> finished = new ArrayDeque<>();
    /** To be posted when the worker has room. */
    private final Deque<Item> unposted = new ArrayDeque<>();

    ContextIntake(Inbox inbox, Worker worker, NativePool pool) {
        this.inbox = inbox;
        this.worker = worker;
        this.pool = pool;
    }

    boolean isStalled() {
        return !unposted.isEmpty();
    }

    /** Takes a message that is a frame or waits for one; false if it can be offered now, with its context. */
    boolean take(ArrivedMessage message) {
        boolean frameTag = message.tag == ContextFrame.TAG;
        if (!frameTag && streams.isEmpty()) {
            return false;
        }
        Stream stream = streams.get(message.endpoint);
        if (stream == null) {
            if (!frameTag || !message.source.link().carriesContexts()) {
                return false;
            }
            stream = new Stream();
            streams.put(message.endpoint, stream);
        }
        Item last = stream.queue.peekLast();
        if (last == null && (!frameTag || stream.verbatim)) {
            equip(stream, message);
            return false;
        }
        Item item = new Item(this, stream, message);
        stream.queue.add(item);
        if (frameTag && (last == null || last.message.tag != ContextFrame.TAG)) {
            // Behind another frame it may be a message with the frames' tag: that frame will tell.
            start(item);
        }
        return true;
    }

    private static void equip(Stream stream, ArrivedMessage message) {
        message.context = stream.next;
        stream.next = MessageContext.EMPTY;
        stream.verbatim = false;
    }

    private void start(Item frame) {
        ArrivedMessage message = frame.message;
        try {
            ContextFrame.requireLength(message.length);
        } catch (FairleadException malformed) {
            inbox.discard(message.info);
            frame.end(false);
            message.source.link().violated(message.endpoint, malformed);
            return;
        }
        frame.block = pool.stage(message.length);
        if (!unposted.isEmpty() || !post(frame)) {
            unposted.add(frame);
        }
    }

    private boolean post(Item frame) {
        ArrivedMessage message = frame.message;
        NativePool.Block block = Objects.requireNonNull(frame.block, "block");
        long posted = worker.receiveClaimed(message.info, block.segment(), 0, message.length, frame, 0);
        if (posted == Endpoint.BACK_PRESSURE) {
            return false;
        }
        if (posted < 0) {
            frame.end(false);
        }
        inbox.recycle(message.info);
        return true;
    }

    /** Posts what found no room, and offers the messages whose frames have been read. */
    int turn() {
        while (!unposted.isEmpty() && post(unposted.element())) {
            unposted.remove();
        }
        int events = 0;
        for (Stream stream = finished.poll(); stream != null; stream = finished.poll()) {
            advance(stream);
            events++;
        }
        return events;
    }

    private void advance(Stream stream) {
        for (Item item = stream.queue.peek(); item != null; item = stream.queue.peek()) {
            boolean frame = item.message.tag == ContextFrame.TAG && !stream.verbatim;
            if (frame && item.block == null && !item.done) {
                start(item);
            }
            if (frame && !item.done) {
                return;
            }
            stream.queue.remove();
            if (frame) {
                read(stream, item);
            } else {
                equip(stream, item.message);
                inbox.offer(item.message);
            }
        }
    }

    private void read(Stream stream, Item frame) {
        stream.next = MessageContext.EMPTY;
        NativePool.Block block = frame.block;
        if (block == null) {
            return;
        }
        ArrivedMessage message = frame.message;
        try {
            if (frame.arrived) {
                stream.verbatim = ContextFrame.kind(block.segment()) == ContextFrame.VERBATIM;
                stream.next = MessageContext.decode(block.segment(), 1, message.length - 1);
            }
        } catch (FairleadException malformed) {
            message.source.link().violated(message.endpoint, malformed);
        } finally {
            block.release();
        }
    }

    /**
     * The endpoint has ended, and all that it brought has been taken: offers the rest of it before anybody is told.
     *
     * @param going false if the worker is closed and makes no progress
     */
    void endpointEnded(Endpoint endpoint, boolean going) {
        Stream stream = streams.remove(endpoint);
        if (stream == null) {
            return;
        }
        for (int turns = 0; going && turns < TURNS_MAX && !stream.queue.isEmpty(); turns++) {
            int before = stream.queue.size();
            worker.progress();
            turn();
            if (stream.queue.size() < before) {
                turns = 0;
            }
        }
        for (Item item = stream.queue.poll(); item != null; item = stream.queue.poll()) {
            if (item.message.tag != ContextFrame.TAG || stream.verbatim) {
                equip(stream, item.message);
                inbox.offer(item.message);
            } else if (item.block == null && !item.done) {
                inbox.discard(item.message.info);
            }
            // The block of a frame that is still being received goes to the collector: it is no longer ours to use
            // again.
        }
    }
}
