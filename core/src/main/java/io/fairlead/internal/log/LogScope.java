package io.fairlead.internal.log;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.Path;
import io.fairlead.internal.config.NodeName;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The MDC keys of a log line: {@value #NODE}, {@value #ENDPOINT} and {@value #TRANSPORT}. It is opened only around a
 * line to be logged; closing restores the application's values of these keys.
 */
public final class LogScope implements AutoCloseable {
    /** The name of this side ({@code node.name}). */
    public static final String NODE = "node";
    /** The endpoint's label. */
    public static final String ENDPOINT = "endpoint";
    /** The chosen transport. */
    public static final String TRANSPORT = "transport";

    private final @Nullable String node = MDC.get(NODE);
    private final @Nullable String endpoint = MDC.get(ENDPOINT);
    private final @Nullable String transport = MDC.get(TRANSPORT);

    private LogScope() {}

    /**
     * Sets the keys.
     *
     * @param node this side's name
     * @param endpoint the endpoint; empty if there is none
     * @param transport the transport; empty if none is chosen
     * @return closed by the same thread, after the line
     */
    public static LogScope of(String node, String endpoint, String transport) {
        LogScope scope = new LogScope();
        put(NODE, node);
        put(ENDPOINT, endpoint);
        put(TRANSPORT, transport);
        return scope;
    }

    /**
     * Sets the keys for a line about an endpoint.
     *
     * @param endpoint the endpoint, whose worker belongs to this thread
     * @return closed by the same thread, after the line
     */
    public static LogScope of(Endpoint endpoint) {
        return of(
                NodeName.of(endpoint.worker().context().config()),
                endpoint.toString(),
                endpoint.path().map(Path::transport).orElse(""));
    }

    /**
     * Sets the keys for a line without an endpoint.
     *
     * @param context has the name
     * @return closed by the same thread, after the line
     */
    public static LogScope of(Context context) {
        return of(NodeName.of(context.config()), "", "");
    }

    private static void put(String key, @Nullable String value) {
        if (value == null || value.isEmpty()) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }

    @Override
    public void close() {
        put(NODE, node);
        put(ENDPOINT, endpoint);
        put(TRANSPORT, transport);
    }
}
