package io.fairlead.transport.tcp;

import io.fairlead.ActiveMessage;
import io.fairlead.Status;
import io.fairlead.spi.EndpointHost;
import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Handles frames: dispatches requests to the classes that answer them, and answers to the classes that requested them.
 */
final class FrameHandler implements TcpFrameReader.Handler {
    private final TcpEndpointOwner endpoint;
    private final EndpointHost host;
    private final Messages messages;
    private final Streams streams;
    private final OperationTable sends;
    private final int eagerMax;

    FrameHandler(
            TcpEndpointOwner endpoint, EndpointHost host, Messages messages, Streams streams, OperationTable sends) {
        this.endpoint = endpoint;
        this.host = host;
        this.messages = messages;
        this.streams = streams;
        this.sends = sends;
        this.eagerMax = host.eagerMax();
    }

    @Override
    public int payloadMax(int type) {
        return switch (type) {
            case TcpFrame.EAGER, TcpFrame.EAGER_SYNC -> eagerMax;
            case TcpFrame.DATA -> TcpFrame.CHUNK_MAX;
            case TcpFrame.CONTROL -> TcpFrame.CONTROL_MAX;
            case TcpFrame.ACTIVE -> eagerMax + ActiveMessage.HEADER_MAX;
            case TcpFrame.ACTIVE_ANNOUNCE -> ActiveMessage.HEADER_MAX;
            default -> 0;
        };
    }

    @Override
    public int handle(TcpFrameReader reader, long first, int at, int available) {
        int type = TcpFrame.type(first);
        if (TcpFrame.isOfMemory(type)) {
            return streams.memory().handle(reader, at, available);
        }
        MemorySegment buffer = reader.buffer();
        int payload = (int) TcpFrame.payload(first);
        switch (type) {
            case TcpFrame.EAGER -> {
                return messages.eager(reader, word(buffer, at, 1), 0, payload, at + TcpFrame.header(type), available);
            }
            case TcpFrame.EAGER_SYNC -> {
                long id = id(type, word(buffer, at, 2));
                return messages.eager(reader, word(buffer, at, 1), id, payload, at + TcpFrame.header(type), available);
            }
            case TcpFrame.ACTIVE -> {
                return messages.active(reader, word(buffer, at, 1), payload, at + TcpFrame.header(type), available);
            }
            case TcpFrame.ACTIVE_ANNOUNCE ->
                messages.activeAnnounced(
                        reader,
                        word(buffer, at, 1),
                        id(type, word(buffer, at, 2)),
                        word(buffer, at, 3),
                        at + TcpFrame.header(type),
                        payload);
            case TcpFrame.ANNOUNCE ->
                messages.announced(reader, word(buffer, at, 1), id(type, word(buffer, at, 2)), word(buffer, at, 3));
            case TcpFrame.PULL -> pulled(word(buffer, at, 1), word(buffer, at, 2), word(buffer, at, 3));
            case TcpFrame.DATA -> messages.data(reader, word(buffer, at, 1), payload);
            case TcpFrame.MATCHED ->
                sends.matched(sends.find(type, word(buffer, at, 1), PendingOperation.Kind.SYNCHRONOUS));
            default -> host.control(reader.bytes(at + TcpFrame.header(type), payload));
        }
        return 0;
    }

    private static long word(MemorySegment buffer, int at, int index) {
        return TcpFrame.word(buffer, at + 8L * index);
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

    /** The receiver has matched an announced send and requests the given number of its bytes. */
    private void pulled(long id, long receiveId, long wanted) {
        PendingOperation entry = sends.find(TcpFrame.PULL, id, PendingOperation.Kind.ANNOUNCED);
        Operation send = operation(entry);
        if (wanted < 0 || wanted > send.length()) {
            throw TcpFrame.violation("PULL", "length", wanted, "0 to " + send.length() + " bytes");
        }
        if (wanted == 0) {
            sends.remove(entry).complete(Status.OK, send.length());
            return;
        }
        entry.kind = PendingOperation.Kind.LEAVING;
        entry.detail = receiveId;
        entry.length = wanted;
        streams.send(entry);
        endpoint.markDirty();
    }
}
