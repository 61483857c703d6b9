package io.fairlead.testkit;

import io.fairlead.Status;

/** What posting calls return, for programs that have nothing to do where one starts nothing. */
public final class Posted {
    private Posted() {}

    /**
     * Demands that a post has started its operation.
     *
     * @param posted what the posting call returned
     * @throws IllegalStateException if it is a status
     */
    public static void started(long posted) {
        if (posted < 0) {
            throw new IllegalStateException("a post started nothing: status=" + Status.of(posted));
        }
    }
}
