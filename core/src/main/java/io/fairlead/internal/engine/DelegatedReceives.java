package io.fairlead.internal.engine;

import io.fairlead.Worker;

/** Counts the receives that transports match by themselves and that have not ended, and their room. */
final class DelegatedReceives {
    private long count;
    /** Those of them with a partial mask. */
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

    /** Has no effect on a receive that is not one of these. */
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

    /** How many have a partial mask. */
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
