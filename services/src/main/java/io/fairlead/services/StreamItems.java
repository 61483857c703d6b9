package io.fairlead.services;

import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;

/** Items of a stream in a reply: a byte that is 1 if none follows, and of each item its length and its bytes. For one thread. */
final class StreamItems {
    private final MemorySegment message;
    private long position = 1;

    /** Reads a reply. */
    StreamItems(MemorySegment message) {
        this.message = message;
        if (message.byteSize() < 1) {
            throw malformed();
        }
    }

    static byte[] write(byte[] head, List<byte[]> items, int bytes) {
        ByteBuffer written = ByteBuffer.allocate(head.length + bytes).put(head);
        for (byte[] item : items) {
            written.putInt(item.length).put(item);
        }
        return written.array();
    }

    /** Whether the publisher has completed behind these items. */
    boolean isLast() {
        return message.get(ValueLayout.JAVA_BYTE, 0) == 1;
    }

    boolean hasNext() {
        return position < message.byteSize();
    }

    MemorySegment next() {
        if (message.byteSize() - position < Integer.BYTES) {
            throw malformed();
        }
        int length = message.get(CallHead.INT, position);
        position += Integer.BYTES;
        if (length < 0 || length > message.byteSize() - position) {
            throw malformed();
        }
        MemorySegment item = message.asSlice(position, length);
        position += length;
        return item;
    }

    private RequestException malformed() {
        return new RequestException(
                RequestStatus.FAILED,
                "a reply has no items of a stream: length=" + message.byteSize()
                        + " bytes; use one release on both sides");
    }
}
