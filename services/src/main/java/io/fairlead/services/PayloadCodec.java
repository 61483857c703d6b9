package io.fairlead.services;

import java.lang.reflect.Type;

/**
 * Turns objects into bytes and back, for arguments and results of typed services. Both sides use the same codec. Implemented by libraries and
 * applications. Thread-safe.
 */
public interface PayloadCodec {
    /**
     * The format's name. It is sent with each request, and a service refuses requests of another name with {@code INVALID_ARGUMENT}.
     *
     * @return 1 to 32 printable ASCII characters, such as {@code json}; never changes
     */
    String name();

    /**
     * The coder of a type. Asked once for each type of an interface, before the first call.
     *
     * @param type a class, never primitive, or a type with arguments such as {@code List<Order>}
     * @return thread-safe
     * @throws IllegalArgumentException if this codec cannot carry the type; the message says why and what it can
     */
    PayloadCoder coder(Type type);
}
