package io.fairlead.codec.jackson;

import io.fairlead.services.PayloadCodec;
import io.fairlead.services.PayloadCoder;
import java.io.OutputStream;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.Objects;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Arguments and results as JSON: records, and whatever else the mapper knows. Named {@code json}. Unknown properties are ignored and missing ones are null or 0, as
 * {@link JsonMapper} does it, so that a field can be added on one side first. Thread-safe.
 */
public final class JacksonCodec implements PayloadCodec {
    private final ObjectMapper mapper;

    /** Uses {@link JsonMapper} with its defaults. */
    public JacksonCodec() {
        this(JsonMapper.shared());
    }

    /**
     * Uses a mapper of the application's.
     *
     * @param mapper reads and writes; both sides of a service need the same settings
     */
    public JacksonCodec(ObjectMapper mapper) {
        this.mapper = Objects.requireNonNull(mapper, "mapper");
    }

    @Override
    public String name() {
        return "json";
    }

    @Override
    public PayloadCoder coder(Type type) {
        JavaType constructed = mapper.constructType(type);
        return new JsonCoder(mapper.readerFor(constructed), mapper.writerFor(constructed));
    }

    private record JsonCoder(ObjectReader reader, ObjectWriter writer) implements PayloadCoder {
        @Override
        public void encode(Object value, OutputStream target) {
            writer.writeValue(target, value);
        }

        @Override
        public Object decode(ByteBuffer payload) {
            Object value;
            if (payload.hasArray()) {
                value = reader.readValue(
                        payload.array(), payload.arrayOffset() + payload.position(), payload.remaining());
            } else {
                byte[] copy = new byte[payload.remaining()];
                payload.get(copy);
                value = reader.readValue(copy);
            }
            if (value == null) {
                throw new IllegalArgumentException("the payload is null");
            }
            return value;
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
