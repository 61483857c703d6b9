package io.fairlead.internal.engine;

import io.fairlead.Worker;

/** Counts the pending receives that were delegated to transports with their own matching, and their capacity. */
final class DelegatedReceives {
    private long count;
    /** The number of those with a partial mask. */
    private long masked;

    private long bytes;

    void add(CoreOperation receive) {
        receive.delegatedLength = receive.length();
        count++;
        if (receive.tagMask != Worker.FULL_TAG_MASK) {
            masked++;
        }
        bytes += receive.delegatedLength;
    }

    /** Has no effect on a receive that is not delegated. */
    void remove(CoreOperation receive) {
        if (receive.delegatedLength != CoreOperation.NOT_DELEGATED) {
            count--;
            if (receive.tagMask != Worker.FULL_TAG_MASK) {
                masked--;
            }
            bytes -= receive.delegatedLength;
            receive.delegatedLength = CoreOperation.NOT_DELEGATED;
        }
    }

    /** The number of delegated receives with a partial mask. */
    long masked() {
        return masked;
    }

    long count() {
        return count;
    }

    long bytes() {
        return bytes;
    }
}
