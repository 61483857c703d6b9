package io.fairlead;

/**
 * The outcome of an operation: what a completion reports, and what a posting call answers when it takes nothing on.
 *
 * <p>A posting call returns a positive request id, or one of the negative constants of {@link Endpoint}, such as
 * {@link Endpoint#BACK_PRESSURE}; in that case nothing was started and no completion follows. {@link #of(long)} names what it returned.
 */
public enum Status {
    /** The operation did what it promises. */
    OK(0),
    /** A bound was reached and nothing was started; call {@link Worker#progress()} and post again. */
    BACK_PRESSURE(Endpoint.BACK_PRESSURE),
    /** The endpoint is still connecting; wait for {@link EndpointHandler#connected(Endpoint)} and post again. */
    NOT_CONNECTED(Endpoint.NOT_CONNECTED),
    /** The endpoint was closed by either side; connect again where that is wanted. */
    CLOSED(Endpoint.CLOSED),
    /** The peer died, fell silent or broke the protocol; {@link Endpoint#failure()} has the cause. Reconnect. */
    PEER_FAILED(Endpoint.PEER_FAILED),
    /** The remote memory region was closed by its owner; ask the owner for a new key. */
    REVOKED(Endpoint.REVOKED),
    /** The receive was cancelled before a message matched it, or its memory was closed before that. */
    CANCELLED(-6),
    /** The message was longer than the buffer; {@link Request#length()} is the true length, and what the buffer holds is not defined. */
    TRUNCATED(-7),
    /** The transport of this endpoint declares that it cannot do this operation. */
    UNSUPPORTED(Endpoint.UNSUPPORTED),
    /** The transport failed in a way of its own; {@link Endpoint#failure()} has the cause. */
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
     * The status that a posting call's result stands for.
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
