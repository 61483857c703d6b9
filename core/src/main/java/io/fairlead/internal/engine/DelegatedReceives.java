package io.fairlead.internal.engine;

/** Counts the receives that transports match by themselves and that have not ended, and their room. */
final class DelegatedReceives {
    private long count;
    private long bytes;

    void add(CoreOperation receive) {
        receive.delegatedLength = receive.length();
        count++;
        bytes += receive.delegatedLength;
    }

    /** Has no effect on a receive that is not one of these. */
    void remove(CoreOperation receive) {
        if (receive.delegatedLength != CoreOperation.NOT_DELEGATED) {
            count--;
            bytes -= receive.delegatedLength;
            receive.delegatedLength = CoreOperation.NOT_DELEGATED;
        }
    }

    long count() {
        return count;
    }

    long bytes() {
        return bytes;
    }
}
