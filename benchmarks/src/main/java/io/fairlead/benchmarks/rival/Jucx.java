package io.fairlead.benchmarks.rival;

import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;

/**
 * JUCX used as its own examples use it: a Java object and a callback per operation, no error handling between peers. Belongs to
 * the thread that made it.
 */
public final class Jucx implements AutoCloseable {
    private final UcpContext context;

    /**
     * Opens a context of its own.
     *
     * @param lanes the UCX transports that it may use, as the environment variable {@code UCX_TLS} names them
     */
    public Jucx(String lanes) {
        context = new UcpContext(new UcpParams()
                .requestTagFeature()
                .requestRmaFeature()
                .setConfig("TLS", lanes)
                .setConfig("LOG_LEVEL", "error"));
    }

    /**
     * Messages back and forth.
     *
     * @param size bytes
     * @return one side
     */
    public Contestant tagPingPong(int size) {
        return new JucxTagPingPong(new JucxSide(context, size), size);
    }

    /**
     * Messages one after the other.
     *
     * @param size bytes
     * @param window how many are on their way at once
     * @return one side
     */
    public Contestant tagStream(int size, int window) {
        return new JucxTagStream(new JucxSide(context, size), size, window);
    }

    /**
     * Puts back and forth, each side watching its memory for what arrives.
     *
     * @param size bytes
     * @return one side
     */
    public Contestant putPingPong(int size) {
        return new JucxPutPingPong(new JucxSide(context, size), size);
    }

    /**
     * Puts one after the other, flushed at the end.
     *
     * @param size bytes
     * @param window how many are on their way at once
     * @return one side
     */
    public Contestant puts(int size, int window) {
        return new JucxPuts(new JucxSide(context, size), size, window);
    }

    /**
     * Gets one after the other.
     *
     * @param size bytes
     * @param window how many are on their way at once
     * @return one side
     */
    public Contestant gets(int size, int window) {
        return new JucxGets(new JucxSide(context, size), size, window);
    }

    /** Closes the context; every side is closed before. */
    @Override
    public void close() {
        context.close();
    }
}
