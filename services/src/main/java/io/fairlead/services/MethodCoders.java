package io.fairlead.services;

import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The coders of a method, with one exception for each way in which they fail. Of what a coder throws, the other side gets the class alone: its
 * message may have parts of the object.
 */
final class MethodCoders {
    private final String method;
    private final String codec;
    private final @Nullable PayloadCoder argument;
    private final @Nullable PayloadCoder result;
    private final int payloadMax;

    MethodCoders(ServiceMethod method, PayloadCodec codec, int payloadMax) {
        this.method = method.name();
        this.codec = codec.name();
        this.argument = coder(method, codec, method.argument());
        this.result = coder(method, codec, method.result());
        this.payloadMax = payloadMax;
    }

    private static @Nullable PayloadCoder coder(ServiceMethod method, PayloadCodec codec, @Nullable Type type) {
        if (type == null) {
            return null;
        }
        try {
            return codec.coder(type);
        } catch (IllegalArgumentException refused) {
            throw new IllegalArgumentException(
                    "codec " + codec.name() + " cannot carry a type of a method: method=" + method.name() + ", type="
                            + type.getTypeName() + "; " + refused.getMessage(),
                    refused);
        }
    }

    /** The bytes of an argument behind a head. */
    PayloadBuffer encodeArgument(CallHead head, Object @Nullable [] arguments) {
        Object value = arguments == null || arguments.length == 0 ? null : arguments[0];
        if (argument != null && value == null) {
            throw new NullPointerException("argument of " + method);
        }
        return encode(head, argument, value, "argument");
    }

    /** The argument in these bytes; null for a method without one. */
    @Nullable Object decodeArgument(MemorySegment payload) {
        return decode(argument, payload, "argument", RequestStatus.INVALID_ARGUMENT);
    }

    /** The bytes of a result. */
    PayloadBuffer encodeResult(@Nullable Object value) {
        if (result != null && value == null) {
            throw new RequestException(
                    RequestStatus.FAILED, method + " has returned null; return a value, such as an Optional");
        }
        return encode(null, result, value, "result");
    }

    /** The result in these bytes; null for a method without one. */
    @Nullable Object decodeResult(MemorySegment payload) {
        return decode(result, payload, "result", RequestStatus.FAILED);
    }

    private PayloadBuffer encode(
            @Nullable CallHead head, @Nullable PayloadCoder coder, @Nullable Object value, String what) {
        PayloadBuffer buffer = new PayloadBuffer(head, payloadMax);
        if (coder == null || value == null) {
            return buffer;
        }
        try {
            coder.encode(value, buffer);
        } catch (Exception thrown) {
            if (!buffer.isOverflowed()) {
                throw new RequestException(
                        RequestStatus.FAILED,
                        what + " of " + method + " cannot be written by codec " + codec + ": "
                                + thrown.getClass().getSimpleName(),
                        thrown);
            }
        }
        if (buffer.isOverflowed()) {
            throw new RequestException(
                    RequestStatus.RESOURCE_EXHAUSTED,
                    what + " of " + method + " is longer than its limit: limit=" + payloadMax
                            + " bytes; send parts, or raise node.message-max at both sides and ClientOptions.payloadMax");
        }
        return buffer;
    }

    private @Nullable Object decode(
            @Nullable PayloadCoder coder, MemorySegment payload, String what, RequestStatus status) {
        if (coder == null) {
            if (payload.byteSize() == 0) {
                return null;
            }
            throw new RequestException(
                    status,
                    method + " has no " + what + ", but bytes=" + payload.byteSize()
                            + " came; use one interface on both sides");
        }
        try {
            return coder.decode(buffer(payload));
        } catch (Exception thrown) {
            throw new RequestException(
                    status,
                    what + " of " + method + " cannot be read by codec " + codec + ": "
                            + thrown.getClass().getSimpleName(),
                    thrown);
        }
    }

    /** Nodes keep short messages in arrays of longs, of which there is no buffer. */
    private static ByteBuffer buffer(MemorySegment payload) {
        return payload.isNative() ? payload.asByteBuffer() : ByteBuffer.wrap(payload.toArray(ValueLayout.JAVA_BYTE));
    }
}
