package io.fairlead.node.internal;

import io.fairlead.MessageInfo;
import io.fairlead.Worker;
import io.fairlead.spi.CloseSteps;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames with contexts that arrive before messages. Belongs to the loop's thread.
 *
 * <p>The worker tells of a frame as soon as its length is known, inside progress, and hands it to the message behind it, wherever that is matched. The
 * frame is received when progress has returned; a message whose frame has not been read by then is delivered when it has.
 */
final class ContextIntake {
    private final Worker worker;
    private final NativePool pool;
    /** To be received when progress has returned and the worker has room. */
    private final Deque<ArrivedFrame> arrived = new ArrayDeque<>();

    ContextIntake(Worker worker, NativePool pool) {
        this.worker = worker;
        this.pool = pool;
    }

    boolean isStalled() {
        return !arrived.isEmpty();
    }

    /**
     * A message with the tag of frames has arrived, from a peer that sends frames.
     *
     * @param before the frame right before it, if there is one
     * @return the frame; empty if it is a message of the application's
     */
    Optional<Object> frame(PeerLink link, MessageInfo message, Optional<Object> before) {
        @Nullable ArrivedFrame last = (ArrivedFrame) before.orElse(null);
        if (last != null && last.isVerbatim()) {
            return Optional.empty();
        }
        ArrivedFrame frame = new ArrivedFrame(link, message, pool, last);
        arrived.add(frame);
        return Optional.of(frame);
    }

    /** Receives the frames that have arrived. */
    int turn() {
        int events = 0;
        while (!arrived.isEmpty() && hasLeft(arrived.element())) {
            arrived.remove();
            events++;
        }
        return events;
    }

    /** False if the frame has to wait for room. */
    private boolean hasLeft(ArrivedFrame frame) {
        try {
            return frame.tryReceive(worker);
        } catch (Throwable thrown) {
            frame.failThrown(thrown);
            return true;
        }
    }

    /** The worker is closed: messages go without the contexts that it has not received. */
    void workerClosed() {
        List<ArrivedFrame> left = List.copyOf(arrived);
        arrived.clear();
        CloseSteps.runEach(left, ArrivedFrame::abandon);
    }
}
