package io.fairlead.spi;

import io.fairlead.Incubating;
import java.nio.ByteBuffer;

/**
 * A {@link TransportEndpoint} that can leave its lanes, such as rings or cards, and go on over the control connection.
 * It does so if {@link EndpointHost#mayLeaveLanes()}: when a lane fails, or when the peer has left.
 *
 * <p>Frames between the two transports travel on the control connection, once and in order. A frame may overtake what is
 * on a lane.
 */
@Incubating
public interface LaneEndpoint extends TransportEndpoint {
    /** The maximum length of a frame, in bytes. */
    int FRAME_MAX = 17 << 10;

    /**
     * Takes a frame that the peer's transport has sent by {@link EndpointHost#trySendFrame}. It may arrive inside a call
     * of {@link EndpointHost}: the transport only stores what the frame says, and acts in its next progress. Not called
     * before {@link WireUpEndpoint#begin()}.
     *
     * @param frame from position to limit, valid during the call; untrusted
     * @throws io.fairlead.FairleadException {@code PROTOCOL_VIOLATION} if the frame is malformed; the endpoint fails with
     *     it
     */
    void frame(ByteBuffer frame);

    /**
     * Leaves the lanes in the next progress, as if one had failed.
     *
     * @param cause why, for log and errors
     * @return whether it does; false if it has left them already, or must not
     */
    boolean tryLeaveLanes(String cause);

    /**
     * Tries to return to lanes like those that were left, beginning in the next progress. Data goes on meanwhile.
     * {@link EndpointHost#returnedToLanes} or {@link EndpointHost#stayedOffLanes} ends the attempt. Both sides may see the
     * former.
     *
     * @return whether it does; false if the endpoint is on its lanes, tries already, or is not the listener's
     */
    boolean tryReturnToLanes();
}
