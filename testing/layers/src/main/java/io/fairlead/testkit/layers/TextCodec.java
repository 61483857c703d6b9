package io.fairlead.testkit.layers;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fairlead.services.PayloadCodec;
import io.fairlead.services.PayloadCoder;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.function.Function;

/**
 * Strings and numbers as text.
 *
 * @param name the codec's name
 */
record TextCodec(String name) implements PayloadCodec {
    /** What most cases use. */
    static final TextCodec TEXT = new TextCodec("text");

    /** A coder by the text of an object and the object of a text. */
    private record Text(Function<String, Object> reads) implements PayloadCoder {
        @Override
        public void encode(Object value, OutputStream target) throws IOException {
            target.write(value.toString().getBytes(UTF_8));
        }

        @Override
        public Object decode(ByteBuffer payload) {
            return reads.apply(UTF_8.decode(payload).toString());
        }
    }

    @Override
    public PayloadCoder coder(Type type) {
        if (type == String.class) {
            return new Text(text -> text);
        }
        if (type == Long.class) {
            return new Text(Long::valueOf);
        }
        throw new IllegalArgumentException("the codec has strings and numbers alone");
    }
}
