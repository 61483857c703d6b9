package io.fairlead.benchmarks;

import java.util.List;

/**
 * What both processes of {@code bench tls} do in one turn of a contestant, in this order.
 *
 * @param connects connections that are made and closed again
 * @param exchanges of messages of {@link #SMALL} bytes over one more
 * @param messages of {@link #LARGE} bytes behind those, one after the other
 */
record TlsTurn(int connects, int exchanges, int messages) {
    static final int SMALL = 8;
    static final int LARGE = 1 << 20;
    /** Long messages under way at once. */
    static final int WINDOW = 4;

    List<String> arguments() {
        return List.of(String.valueOf(connects), String.valueOf(exchanges), String.valueOf(messages));
    }

    static TlsTurn parse(List<String> arguments) {
        return new TlsTurn(
                Integer.parseInt(arguments.get(0)),
                Integer.parseInt(arguments.get(1)),
                Integer.parseInt(arguments.get(2)));
    }
}
