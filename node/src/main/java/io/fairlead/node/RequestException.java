package io.fairlead.node;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a request. The future of {@link Peer#request} fails with it; a handler throws it to choose the status and the text that its caller
 * gets.
 */
public final class RequestException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The status. */
    private final RequestStatus status;
    /** What the side that refused said. */
    private final String text;
    /** Whether it is certain that no handler has seen the request. */
    private final boolean safeToRetry;

    /**
     * A failure of which it is not known whether a handler has seen the request, or in the handler itself.
     *
     * @param status not {@link RequestStatus#OK}
     * @param text one line for the caller; of more than 1,024 bytes in UTF-8 the rest is cut off on the way, and control characters become spaces
     */
    public RequestException(RequestStatus status, String text) {
        this(status, text, text, false, null);
    }

    /**
     * A failure of which it is not known whether a handler has seen the request.
     *
     * @param status not {@link RequestStatus#OK}
     * @param text one line
     * @param cause why; it stays on this side
     */
    public RequestException(RequestStatus status, String text, Throwable cause) {
        this(status, text, text, false, Objects.requireNonNull(cause, "cause"));
    }

    private RequestException(
            RequestStatus status, String message, String text, boolean safeToRetry, @Nullable Throwable cause) {
        super(message, cause);
        if (status == RequestStatus.OK) {
            throw new IllegalArgumentException("a request that has failed cannot be status=OK; reply instead");
        }
        this.status = Objects.requireNonNull(status, "status");
        this.text = Objects.requireNonNull(text, "text");
        this.safeToRetry = safeToRetry;
    }

    /**
     * The failure of a request that no handler has seen.
     *
     * @param status not {@link RequestStatus#OK}
     * @param text one line
     * @return a failure whose {@link #isSafeToRetry()} is true
     */
    public static RequestException beforeHandler(RequestStatus status, String text) {
        return new RequestException(status, text, text, true, null);
    }

    /**
     * The same failure with its surroundings in the message.
     *
     * @param message the failure's message from now on; {@link #text()} stays
     * @return a new exception
     */
    public RequestException withMessage(String message) {
        return new RequestException(status, message, text, safeToRetry, getCause());
    }

    /**
     * How the request has ended.
     *
     * @return never {@link RequestStatus#OK}
     */
    public RequestStatus status() {
        return status;
    }

    /**
     * What the side that refused said, without the tag and the peer's name that {@link #getMessage()} has.
     *
     * @return one line, perhaps empty
     */
    public String text() {
        return text;
    }

    /**
     * Whether it is certain that no handler has seen the request: it never left this side, or the peer has said so. Such a request can be sent again, here
     * or elsewhere, whatever it does. Any other may have been carried out.
     *
     * @return false if that is not known
     */
    public boolean isSafeToRetry() {
        return safeToRetry;
    }
}
