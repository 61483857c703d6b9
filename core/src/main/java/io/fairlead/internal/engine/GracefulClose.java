package io.fairlead.internal.engine;

import io.fairlead.internal.control.ControlChannel;
import io.fairlead.spi.TransportEndpoint;

/** A close that this side has begun: waits until all is sent, says goodbye, and ends when that is with the kernel, or its time is over. */
final class GracefulClose {
    private final ControlChannel channel;
    private final OperationOwner operations;
    private long deadlineNs;
    private boolean goodbyeSent;

    GracefulClose(ControlChannel channel, OperationOwner operations) {
        this.channel = channel;
        this.operations = operations;
    }

    void begin(long untilNs) {
        deadlineNs = untilNs;
    }

    /** Whether the goodbye has left this side. */
    boolean isGoodbyeSent() {
        return goodbyeSent;
    }

    /** Moves the close on; true when it is done. */
    boolean tryFinish(TransportEndpoint transport, long nowNs) {
        boolean late = nowNs - deadlineNs >= 0;
        boolean hadTurn = goodbyeSent;
        if (!goodbyeSent && (late || (!operations.isBusy() && transport.isDrained()))) {
            goodbyeSent = channel.goodbye();
        }
        boolean said = goodbyeSent && transport.isDrained() && channel.isDrained();
        if (late && goodbyeSent && !hadTurn && !said) {
            // It is written in the transport's next turn, if the connection takes anything at all.
            return false;
        }
        return late || said;
    }
}
