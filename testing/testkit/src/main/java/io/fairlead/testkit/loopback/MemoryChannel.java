package io.fairlead.testkit.loopback;

import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.served.RemoteRequester;
import io.fairlead.spi.served.RemoteResponder;
import io.fairlead.spi.served.ServedChannel;
import io.fairlead.spi.served.ServedLimits;
import io.fairlead.spi.served.ServedMessage;
import java.lang.foreign.MemorySegment;

/**
 * Remote memory of one endpoint: each message is a frame in the peer's inbox, with a copy of the data. The inbox is full at times, which holds back
 * whoever writes to it, so that the owner may cut long gets by itself.
 */
final class MemoryChannel implements ServedChannel {
    private static final int DATA_MAX = 1 << 16;
    private static final int WINDOW = 1024;
    private static final ServedLimits LIMITS = new ServedLimits(DATA_MAX, DATA_MAX, Long.MAX_VALUE, WINDOW, WINDOW / 4);

    final RemoteRequester requester;
    final RemoteResponder responder;

    private final LoopbackEndpoint endpoint;
    private final ServedMessage incoming = new ServedMessage();
    /** A message found the peer's queue full, and nothing was sent since. */
    private boolean full;

    private int sent;

    MemoryChannel(LoopbackEndpoint endpoint, EndpointHost host) {
        this.endpoint = endpoint;
        this.requester = new RemoteRequester(host, this, LIMITS);
        this.responder = new RemoteResponder(host, this, LIMITS);
    }

    @Override
    public Outcome send(ServedMessage message) {
        if (!endpoint.mayPost()) {
            return full();
        }
        int header = message.headerLength();
        MemorySegment bytes = MemorySegment.ofArray(new byte[header + message.dataLength()]);
        message.write(bytes, 0);
        MemorySegment.copy(message.data(), message.dataOffset(), bytes, header, message.dataLength());
        if (!endpoint.offer(new LoopbackFrame.Memory(bytes))) {
            return full();
        }
        sent++;
        return Outcome.COPIED;
    }

    private Outcome full() {
        full = true;
        endpoint.busy();
        return Outcome.FULL;
    }

    @Override
    public boolean mayAsk() {
        return endpoint.isOpen();
    }

    @Override
    public void memoryClosed(IllegalStateException cause) {
        endpoint.failThrown(cause);
    }

    /** A message of the peer. */
    void received(MemorySegment bytes) {
        int data = incoming.readWhole(bytes, 0, bytes.byteSize(), DATA_MAX);
        if (incoming.isAnswer()) {
            requester.answered(incoming, bytes, data);
        } else {
            responder.request(incoming, bytes, data);
        }
    }

    /** Sends what found the peer's queue full; returns how many messages. */
    int push() {
        full = false;
        sent = 0;
        responder.resume();
        requester.resume();
        return sent;
    }

    /** Whether a message waits for capacity at the peer, and not for an answer. */
    boolean hasMore() {
        return full;
    }

    boolean isDrained() {
        return requester.isDrained() && !responder.isWaiting();
    }
}
