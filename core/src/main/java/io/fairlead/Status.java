package io.fairlead;

/**
 * The outcome of an operation: reported by a completion, or returned by a posting call that started nothing.
 *
 * <p>A posting call returns a positive request id, or one of the negative constants of {@link Endpoint}, such as
 * {@link Endpoint#BACK_PRESSURE}. In that case nothing was started and no completion follows. {@link #of(long)} gives
 * the status of a returned value.
 */
public enum Status {
    /** The operation succeeded. */
    OK(0),
    /** A limit was reached and nothing was started; call {@link Worker#progress()} and post again. */
    BACK_PRESSURE(Endpoint.BACK_PRESSURE),
    /** The endpoint is still connecting; wait for {@link EndpointHandler#connected(Endpoint)} and post again. */
    NOT_CONNECTED(Endpoint.NOT_CONNECTED),
    /** The endpoint was closed by either side; connect again if needed. */
    CLOSED(Endpoint.CLOSED),
    /** The peer died, stalled or broke the protocol; {@link Endpoint#failure()} has the cause. Reconnect. */
    PEER_FAILED(Endpoint.PEER_FAILED),
    /** The remote memory region was closed by its owner; ask the owner for a new key. */
    REVOKED(Endpoint.REVOKED),
    /** The receive was cancelled before a message matched it, or its memory was closed before that. */
    CANCELLED(-6),
    /**
     * The message was longer than the buffer; {@link Request#length()} is the true length, and the buffer's content is
     * undefined.
     */
    TRUNCATED(-7),
    /** The transport of this endpoint does not support this operation. */
    UNSUPPORTED(Endpoint.UNSUPPORTED),
    /** The transport failed for a reason of its own; {@link Endpoint#failure()} has the cause. */
    TRANSPORT_ERROR(-9);

    private static final Status[] BY_CODE = new Status[10];

    static {
        for (Status status : values()) {
            BY_CODE[(int) -status.code] = status;
        }
    }

    private final long code;

    Status(long code) {
        this.code = code;
    }

    /**
     * The number that a posting call returns for this status: zero for {@link #OK}, negative for all others.
     *
     * @return the code, stable across releases
     */
    public long code() {
        return code;
    }

    /**
     * The status of a posting call's result.
     *
     * @param posted what a posting call returned
     * @return {@link #OK} for a request id, else the status with that code
     * @throws IllegalArgumentException if no status has that code
     */
    public static Status of(long posted) {
        if (posted >= 0) {
            return OK;
        }
        if (posted <= -BY_CODE.length) {
            throw new IllegalArgumentException("unknown status code: code=" + posted);
        }
        return BY_CODE[(int) -posted];
    }
}
