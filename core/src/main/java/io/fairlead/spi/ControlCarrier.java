package io.fairlead.spi;

import io.fairlead.Incubating;
import java.nio.ByteBuffer;

/**
 * A {@link TransportEndpoint} that uses the control connection for its data, and carries the core's control frames in
 * the same stream. All endpoints of a worker that {@linkplain TransportWorker#takesConnection() takes connections} are
 * of this type.
 */
@Incubating
public interface ControlCarrier extends TransportEndpoint {
    /**
     * Sends a control frame, in order after the operations posted before. Copies the frame.
     *
     * @param frame at most 4096 bytes
     * @return whether the frame was accepted; false if the queue is full
     */
    boolean sendControl(ByteBuffer frame);
}
