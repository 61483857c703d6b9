package io.fairlead.spi;

import io.fairlead.Completion;
import io.fairlead.Incubating;
import io.fairlead.Request;
import java.lang.foreign.MemorySegment;

/**
 * How a layer receives one of its own messages, see {@link LayerHandler#receive}. Belongs to the worker's thread. The
 * completion runs once, when the message has arrived or its sender has failed during it, with the message's tag and
 * length.
 */
@Incubating
public interface LayerReceive extends Completion {
    /** Leaves a message to the receives of the application. */
    LayerReceive NONE = new LayerReceive() {
        @Override
        public MemorySegment buffer() {
            return MemorySegment.NULL;
        }

        @Override
        public void completed(Request request) {
            // It is never posted.
        }
    };

    /**
     * The buffer for the message; called once, inside progress. It must be quick and must not call the worker.
     *
     * @return native memory, used whole and owned by the worker until the completion. A longer message completes the
     *     receive {@link io.fairlead.Status#TRUNCATED}; {@link MemorySegment#NULL} discards the whole message
     */
    MemorySegment buffer();
}
