package io.fairlead.node.internal.context;

import io.fairlead.MessageInfo;
import io.fairlead.Worker;
import io.fairlead.node.internal.memory.NativePool;
import io.fairlead.spi.CloseSteps;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames with contexts that arrive before messages. Belongs to the loop's thread.
 *
 * <p>The worker reports a frame as soon as its length is known, inside progress, and attaches it to the message behind it. The
 * frame is received when progress has returned; a message whose frame has not been read by then is delivered when it has.
 */
public final class ContextIntake {
    private final NativePool pool;
    /** Frames to be received when progress has returned and the worker has capacity. */
    private final Deque<ArrivedFrame> arrived = new ArrayDeque<>();

    public ContextIntake(NativePool pool) {
        this.pool = pool;
    }

    public boolean isStalled() {
        return !arrived.isEmpty();
    }

    /**
     * A message with the tag of frames has arrived, from a peer that sends frames.
     *
     * @param before the frame right before it, if there is one
     * @return the frame; empty if it is a message of the application's
     */
    public Optional<Object> frame(ArrivedFrame.Connection connection, MessageInfo message, Optional<Object> before) {
        @Nullable ArrivedFrame last = (ArrivedFrame) before.orElse(null);
        if (last != null && last.isVerbatim()) {
            return Optional.empty();
        }
        ArrivedFrame frame = new ArrivedFrame(connection, message, pool, last);
        arrived.add(frame);
        return Optional.of(frame);
    }

    /** Receives the frames that have arrived. */
    public int turn(Worker worker) {
        int events = 0;
        while (!arrived.isEmpty() && hasLeft(arrived.element(), worker)) {
            arrived.remove();
            events++;
        }
        return events;
    }

    /** Returns false if the frame has to wait for capacity. */
    private static boolean hasLeft(ArrivedFrame frame, Worker worker) {
        try {
            return frame.tryReceive(worker);
        } catch (Throwable thrown) {
            frame.failThrown(thrown);
            return true;
        }
    }

    /** The worker is closed: messages go without the contexts that it has not received. */
    public void workerClosed() {
        List<ArrivedFrame> left = List.copyOf(arrived);
        arrived.clear();
        CloseSteps.runEach(left, ArrivedFrame::abandon);
    }
}
