package io.fairlead.internal.engine;

import io.fairlead.Status;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receive by which the core takes a complete message from the transport of an ended endpoint. It ends inside the
 * call that delivers it.
 */
final class Takeover extends OwnReceive {
    private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);

    private final MemorySegment payload;
    private boolean done;

    private Takeover(byte[] payload) {
        this.payload = MemorySegment.ofArray(payload);
    }

    /** Allocates memory for a message; null if there is none, and the message is lost. */
    static @Nullable Takeover tryOf(long length) {
        try {
            return new Takeover(new byte[Math.toIntExact(length)]);
        } catch (OutOfMemoryError | ArithmeticException none) {
            LOG.warn("no memory for a message that an endpoint left behind; it is lost: length={} bytes", length, none);
            return null;
        }
    }

    /** Whether the payload was copied. */
    boolean isDone() {
        return done;
    }

    @Override
    public MemorySegment buffer() {
        return payload;
    }

    @Override
    public long length() {
        return payload.byteSize();
    }

    @Override
    public void complete(Status status, long length, long value) {
        done = status == Status.OK;
    }
}
