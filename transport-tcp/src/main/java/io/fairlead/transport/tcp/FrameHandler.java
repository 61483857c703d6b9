package io.fairlead.transport.tcp;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.util.Objects;

/** Works on one frame after the other: hands questions to those that answer them, and answers to those that asked. */
final class FrameHandler {
    private final TcpEndpoint endpoint;
    private final TcpFrameReader reader;
    private final Messages messages;
    private final int eagerMax;

    FrameHandler(TcpEndpoint endpoint, TcpFrameReader reader) {
        this.endpoint = endpoint;
        this.reader = reader;
        this.messages = endpoint.messages;
        this.eagerMax = endpoint.host.eagerMax();
    }

    /** The longest payload that a frame of a type may have, where it is no message of remote memory. */
    int payloadMax(int type) {
        return switch (type) {
            case TcpFrame.EAGER, TcpFrame.EAGER_SYNC -> eagerMax;
            case TcpFrame.DATA -> TcpFrame.CHUNK_MAX;
            case TcpFrame.CONTROL -> TcpFrame.CONTROL_MAX;
            default -> 0;
        };
    }

    /**
     * Works on a frame.
     *
     * @param first its first word, checked
     * @param at where it is in the receive buffer
     * @param available how many bytes there are behind its header
     * @return how many of those were used up; what else the payload has goes to the sink that the reader was told
     */
    int handle(long first, int at, int available) {
        int type = TcpFrame.type(first);
        if (TcpFrame.isOfMemory(type)) {
            return endpoint.memory.handle(reader, at, available);
        }
        int payload = (int) TcpFrame.payload(first);
        switch (type) {
            case TcpFrame.EAGER -> {
                return messages.eager(reader, word(at, 1), 0, payload, at + TcpFrame.header(type), available);
            }
            case TcpFrame.EAGER_SYNC -> {
                long id = id(type, word(at, 2));
                return messages.eager(reader, word(at, 1), id, payload, at + TcpFrame.header(type), available);
            }
            case TcpFrame.ANNOUNCE -> messages.announced(reader, word(at, 1), id(type, word(at, 2)), word(at, 3));
            case TcpFrame.PULL -> pulled(word(at, 1), word(at, 2), word(at, 3));
            case TcpFrame.DATA -> messages.data(reader, word(at, 1), payload);
            case TcpFrame.MATCHED ->
                endpoint.sends.matched(endpoint.sends.find(type, word(at, 1), PendingOperation.Kind.SYNCHRONOUS));
            default -> endpoint.host.control(reader.bytes(at + TcpFrame.header(type), payload));
        }
        return 0;
    }

    private long word(int at, int index) {
        return TcpFrame.word(reader.buffer(), at + 8L * index);
    }

    private static long id(int type, long id) {
        if (id <= 0 || id > TcpFrame.ID_MAX) {
            throw TcpFrame.violation(TcpFrame.name(type), "id", id, "1 to " + TcpFrame.ID_MAX);
        }
        return id;
    }

    private static Operation operation(PendingOperation entry) {
        return Objects.requireNonNull(entry.operation, "operation");
    }

    /** The receiver has matched an announced send and wants so many bytes of it. */
    private void pulled(long id, long receiveId, long wanted) {
        PendingOperation entry = endpoint.sends.find(TcpFrame.PULL, id, PendingOperation.Kind.ANNOUNCED);
        Operation send = operation(entry);
        if (wanted < 0 || wanted > send.length()) {
            throw TcpFrame.violation("PULL", "length", wanted, "0 to " + send.length() + " bytes");
        }
        if (wanted == 0) {
            endpoint.sends.remove(entry).complete(Status.OK, send.length());
            return;
        }
        entry.kind = PendingOperation.Kind.LEAVING;
        entry.detail = receiveId;
        entry.length = wanted;
        endpoint.streams.send(entry);
        endpoint.markDirty();
    }
}
