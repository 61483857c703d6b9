package io.fairlead.internal.engine;

import io.fairlead.internal.control.ControlChannel;
import io.fairlead.spi.TransportEndpoint;

/**
 * A close that this side has begun: waits until all data is sent, sends the disconnect, and ends when the kernel has
 * it, or at the deadline.
 */
final class GracefulClose {
    private final ControlChannel channel;
    private final OperationOwner operations;
    private long deadlineNs;
    private boolean disconnectSent;

    GracefulClose(ControlChannel channel, OperationOwner operations) {
        this.channel = channel;
        this.operations = operations;
    }

    void begin(long untilNs) {
        deadlineNs = untilNs;
    }

    /** Whether the disconnect was sent. */
    boolean isDisconnectSent() {
        return disconnectSent;
    }

    /** Advances the close; true when it is done. */
    boolean tryFinish(TransportEndpoint transport, long nowNs) {
        boolean late = nowNs - deadlineNs >= 0;
        boolean hadTurn = disconnectSent;
        if (!disconnectSent && (late || (!operations.isBusy() && transport.isDrained()))) {
            disconnectSent = channel.disconnect();
        }
        boolean said = disconnectSent && transport.isDrained() && channel.isDrained();
        if (late && disconnectSent && !hadTurn && !said) {
            // The transport's next turn writes it, if the connection is writable.
            return false;
        }
        return late || said;
    }
}
