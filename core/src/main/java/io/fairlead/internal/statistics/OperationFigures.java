package io.fairlead.internal.statistics;

import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.OperationKind;

/** The counters that are derived from ended operations, however those are stored. */
// Ordinals never leave the process.
@SuppressWarnings("EnumOrdinal")
interface OperationFigures {
    /** Successful operations. */
    long endedWell(int kind);

    /** The bytes of successful operations. */
    long bytesOf(int kind);

    /** Operations that have ended with a status other than {@code OK}. */
    long failed(int kind, Status status);

    /** A counter that is not a sum of those. */
    long other(Counter counter);

    /** A counter's value. */
    default long figure(Counter counter) {
        return switch (counter) {
            case MESSAGES_SENT -> endedWell(OperationKind.SEND.ordinal());
            case BYTES_SENT -> bytesOf(OperationKind.SEND.ordinal());
            case MESSAGES_RECEIVED -> endedWell(OperationKind.RECEIVE.ordinal());
            case BYTES_RECEIVED -> bytesOf(OperationKind.RECEIVE.ordinal());
            case PUTS -> endedWell(OperationKind.PUT.ordinal());
            case BYTES_PUT -> bytesOf(OperationKind.PUT.ordinal());
            case GETS -> endedWell(OperationKind.GET.ordinal());
            case BYTES_GOT -> bytesOf(OperationKind.GET.ordinal());
            case ATOMICS -> endedWell(OperationKind.ATOMIC.ordinal());
            case FLUSHES -> endedWell(OperationKind.FLUSH.ordinal());
            case OPERATIONS_FAILED -> failed();
            default -> other(counter);
        };
    }

    /** Operations of any kind that have ended with a status other than {@code OK}. */
    private long failed() {
        long sum = 0;
        for (int kind = 0; kind < FigureLayout.KINDS; kind++) {
            for (Status status : FigureLayout.STATUSES) {
                sum += status == Status.OK ? 0 : failed(kind, status);
            }
        }
        return sum;
    }
}
