package io.fairlead.services;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Turns objects of one type into bytes and back. Implemented by codecs. Thread-safe. */
public interface PayloadCoder {
    /**
     * Writes an object.
     *
     * @param value of the coder's type
     * @param target where to write; a write beyond the limit of the service or client throws. Closing it has no effect. Not to be used after the call
     * @throws IOException if the object cannot be written; as any other exception, it ends the call
     */
    void encode(Object value, OutputStream target) throws IOException;

    /**
     * Reads an object.
     *
     * @param payload exactly the bytes that {@link #encode} wrote: the remaining ones of a big-endian buffer, which has an array or is direct. Not to be used after the call
     * @return the object, which shares no memory with the payload
     * @throws IOException if the bytes are no such object; as any other exception, it ends the call
     */
    Object decode(ByteBuffer payload) throws IOException;
}
