package io.fairlead.internal;

import io.fairlead.Counter;

/** The counters that come from operations which have ended, however those are kept. */
interface OperationFigures {
    /** Operations that have ended well. */
    long ended(CoreOperation.Kind kind);

    /** Their bytes. */
    long moved(CoreOperation.Kind kind);

    /** What is no sum of those. */
    long other(Counter counter);

    /** A counter's value. */
    default long figure(Counter counter) {
        return switch (counter) {
            case MESSAGES_SENT -> ended(CoreOperation.Kind.SEND);
            case BYTES_SENT -> moved(CoreOperation.Kind.SEND);
            case MESSAGES_RECEIVED -> ended(CoreOperation.Kind.RECEIVE);
            case BYTES_RECEIVED -> moved(CoreOperation.Kind.RECEIVE);
            case PUTS -> ended(CoreOperation.Kind.PUT);
            case BYTES_PUT -> moved(CoreOperation.Kind.PUT);
            case GETS -> ended(CoreOperation.Kind.GET);
            case BYTES_GOT -> moved(CoreOperation.Kind.GET);
            case ATOMICS -> ended(CoreOperation.Kind.ATOMIC);
            case FLUSHES -> ended(CoreOperation.Kind.FLUSH);
            default -> other(counter);
        };
    }
}
