package io.fairlead.spi;

import io.fairlead.Incubating;
import java.nio.ByteBuffer;

/**
 * An endpoint that took the control connection, and carries control frames inside its own stream. As {@link TransportEndpoint}
 * otherwise; every endpoint of a worker that {@linkplain TransportWorker#takesConnection() takes connections} is one.
 */
@Incubating
public interface ControlCarrier extends TransportEndpoint {
    /**
     * Sends a control frame behind what was posted before. Copies the bytes.
     *
     * @param frame at most 4096 bytes
     * @return false if there is no room now
     */
    boolean sendControl(ByteBuffer frame);
}
