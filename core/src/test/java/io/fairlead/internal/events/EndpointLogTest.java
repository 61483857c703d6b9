package io.fairlead.internal.events;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.Path;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which paths are worth a warning. */
@Timeout(60)
final class EndpointLogTest {
    private static final List<String> NONE = List.of();
    private static final List<String> UCX = List.of("ucx");

    @ParameterizedTest
    @CsvSource({
        // Two processes of one host could share memory.
        "TCP, ONLY_SHARED, 127.0.0.1, true, true",
        "TCP, ONLY_REACHING, 127.0.0.1, true, true",
        // Somebody wanted TCP where there is more.
        "TCP, POLICY, 127.0.0.1, true, true",
        "TCP, POLICY, 192.0.2.1, true, true",
        // Two hosts without RDMA.
        "TCP, ONLY_REACHING, 192.0.2.1, true, false",
        "TCP, ONLY_SHARED, 192.0.2.1, true, false",
        // There is nothing else here.
        "TCP, POLICY, 127.0.0.1, false, false",
        "TCP, ONLY_SHARED, 127.0.0.1, false, false",
        // As fast as can be.
        "SHARED_MEMORY, FASTEST, 127.0.0.1, true, false",
        "RDMA, POLICY, 127.0.0.1, true, false"
    })
    void shouldWarnWhereACapablePairTakesTcp(
            PathClass pathClass, PathCause cause, String peer, boolean ucxHere, boolean expected)
            throws UnknownHostException {
        Path path = new Path("tcp", pathClass, "lo", List.of(), cause, "for a test");
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(peer), 7);
        assertEquals(expected, EndpointLog.isFallback(path, ucxHere ? UCX : NONE, address));
    }
}
