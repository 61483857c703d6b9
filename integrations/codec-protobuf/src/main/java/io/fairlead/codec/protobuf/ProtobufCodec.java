package io.fairlead.codec.protobuf;

import com.google.protobuf.ExtensionRegistryLite;
import com.google.protobuf.Internal;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.fairlead.services.PayloadCodec;
import io.fairlead.services.PayloadCoder;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Arguments and results as protobuf messages, of classes that {@code protoc} generates for the full or the lite runtime. Named {@code protobuf}. Thread-safe.
 */
public final class ProtobufCodec implements PayloadCodec {
    private final ExtensionRegistryLite extensions;

    /** Knows no extensions. */
    public ProtobufCodec() {
        this(ExtensionRegistryLite.getEmptyRegistry());
    }

    /**
     * Knows extensions of messages.
     *
     * @param extensions not changed any more
     */
    public ProtobufCodec(ExtensionRegistryLite extensions) {
        this.extensions = Objects.requireNonNull(extensions, "extensions");
    }

    @Override
    public String name() {
        return "protobuf";
    }

    @Override
    public PayloadCoder coder(Type type) {
        if (!(type instanceof Class<?> plain) || !MessageLite.class.isAssignableFrom(plain)) {
            throw new IllegalArgumentException("use a class that protoc has generated");
        }
        try {
            return new MessageCoder(
                    Internal.getDefaultInstance(plain.asSubclass(MessageLite.class))
                            .getParserForType(),
                    extensions);
        } catch (RuntimeException abstractType) {
            throw new IllegalArgumentException(
                    "use a class that protoc has generated, with its own parser", abstractType);
        }
    }

    private record MessageCoder(Parser<? extends MessageLite> parser, ExtensionRegistryLite extensions)
            implements PayloadCoder {
        @Override
        public void encode(Object value, OutputStream target) throws IOException {
            ((MessageLite) value).writeTo(target);
        }

        @Override
        public Object decode(ByteBuffer payload) throws IOException {
            return parser.parseFrom(payload, extensions);
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
