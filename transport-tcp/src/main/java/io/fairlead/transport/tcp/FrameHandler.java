package io.fairlead.transport.tcp;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.util.Objects;

/** Works on one frame after the other: hands questions to those that answer them, and answers to those that asked. */
final class FrameHandler {
    private final TcpEndpoint endpoint;
    private final FrameReader reader;
    private final Messages messages;
    private final int eagerMax;

    FrameHandler(TcpEndpoint endpoint, FrameReader reader) {
        this.endpoint = endpoint;
        this.reader = reader;
        this.messages = endpoint.messages;
        this.eagerMax = endpoint.host.eagerMax();
    }

    /** The longest payload that a frame of a type may have, where it is no message of remote memory. */
    int payloadMax(int type) {
        return switch (type) {
            case Frame.EAGER, Frame.EAGER_SYNC -> eagerMax;
            case Frame.DATA -> Frame.CHUNK_MAX;
            case Frame.CONTROL -> Frame.CONTROL_MAX;
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
        int type = Frame.type(first);
        if (Frame.isOfMemory(type)) {
            return endpoint.memory.handle(reader, at, available);
        }
        int payload = (int) Frame.payload(first);
        switch (type) {
            case Frame.EAGER -> {
                return messages.eager(reader, word(at, 1), 0, payload, at + Frame.header(type), available);
            }
            case Frame.EAGER_SYNC -> {
                long id = id(type, word(at, 2));
                return messages.eager(reader, word(at, 1), id, payload, at + Frame.header(type), available);
            }
            case Frame.ANNOUNCE -> messages.announced(reader, word(at, 1), id(type, word(at, 2)), word(at, 3));
            case Frame.PULL -> pulled(word(at, 1), word(at, 2), word(at, 3));
            case Frame.DATA -> messages.data(reader, word(at, 1), payload);
            case Frame.MATCHED -> {
                Operation send = endpoint.sends.remove(endpoint.sends.find(type, word(at, 1), Entry.Kind.SYNCHRONOUS));
                send.complete(Status.OK, send.length());
            }
            default -> endpoint.host.control(reader.bytes(at + Frame.header(type), payload));
        }
        return 0;
    }

    private long word(int at, int index) {
        return Frame.word(reader.buffer(), at + 8L * index);
    }

    private static long id(int type, long id) {
        if (id <= 0 || id > Frame.ID_MAX) {
            throw Frame.violation(Frame.name(type), "id", id, "1 to " + Frame.ID_MAX);
        }
        return id;
    }

    private static Operation operation(Entry entry) {
        return Objects.requireNonNull(entry.operation, "operation");
    }

    /** The receiver has matched an announced send and wants so many bytes of it. */
    private void pulled(long id, long receiveId, long wanted) {
        Entry entry = endpoint.sends.find(Frame.PULL, id, Entry.Kind.ANNOUNCED);
        Operation send = operation(entry);
        if (wanted < 0 || wanted > send.length()) {
            throw Frame.violation("PULL", "length", wanted, "0 to " + send.length() + " bytes");
        }
        if (wanted == 0) {
            endpoint.sends.remove(entry).complete(Status.OK, send.length());
            return;
        }
        entry.kind = Entry.Kind.PULLED;
        entry.detail = receiveId;
        entry.length = wanted;
        endpoint.streams.send(entry);
        endpoint.markDirty();
    }
}
