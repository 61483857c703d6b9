package io.fairlead.netty.suite;

import java.util.List;

/**
 * A case of Netty's suites that is not run over Fairlead.
 *
 * @param suite the suite, as {@link Suites} names it
 * @param method the case's method
 * @param reason why not
 * @param mayRun whether running it does no more harm than that it fails
 */
record Exclusion(String suite, String method, String reason, boolean mayRun) {
    /** All of them. */
    static final List<Exclusion> ALL = List.of(
            new Exclusion(
                    "SocketBufRelease",
                    "testBufRelease",
                    "closes the client when the child channel is initialized, and waits for its activation; over Fairlead a child whose peer has gone"
                            + " during the handshake is never active",
                    false),
            new Exclusion(
                    "SocketChannelNotYetConnected",
                    "readMustBePendingUntilChannelIsActive",
                    "connects to a NioServerSocketChannel that it makes itself",
                    true),
            new Exclusion(
                    "SocketDataReadInitialState",
                    "testAutoReadOffNoDataReadUntilReadCalled",
                    "waits for the connection before the server channel reads; over Fairlead a connection is complete when it is accepted",
                    true),
            new Exclusion(
                    "SocketHalfClosed",
                    "testAutoCloseFalseDoesShutdownOutput",
                    "blocks an event loop behind a flush until the peer has closed, and never lets it go; over Fairlead a loop that stands still"
                            + " neither sends nor learns anything",
                    false),
            new Exclusion(
                    "SocketHalfClosed",
                    "testAllDataReadEventTriggeredAfterHalfClosure",
                    "wants to be told of a half-close that it has not asked to read; over NIO the case ends before it begins",
                    false));

    /** Whether it is this case. */
    boolean is(Class<?> type, String name) {
        return suite.equals(type.getSimpleName()) && method.equals(name);
    }
}
