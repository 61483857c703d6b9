package io.fairlead.internal;

import io.fairlead.statistics.Counter;

/** The counters that come from operations which have ended, however those are kept. */
interface OperationFigures {
    /** Operations that have ended well. */
    long ended(int kind);

    /** Their bytes. */
    long moved(int kind);

    /** What is no sum of those. */
    long other(Counter counter);

    /** A counter's value. */
    default long figure(Counter counter) {
        return switch (counter) {
            case MESSAGES_SENT -> ended(CoreOperation.SEND);
            case BYTES_SENT -> moved(CoreOperation.SEND);
            case MESSAGES_RECEIVED -> ended(CoreOperation.RECEIVE);
            case BYTES_RECEIVED -> moved(CoreOperation.RECEIVE);
            case PUTS -> ended(CoreOperation.PUT);
            case BYTES_PUT -> moved(CoreOperation.PUT);
            case GETS -> ended(CoreOperation.GET);
            case BYTES_GOT -> moved(CoreOperation.GET);
            case ATOMICS -> ended(CoreOperation.ATOMIC);
            case FLUSHES -> ended(CoreOperation.FLUSH);
            default -> other(counter);
        };
    }
}
