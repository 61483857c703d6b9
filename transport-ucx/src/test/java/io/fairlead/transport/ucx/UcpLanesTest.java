package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.Path;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the path of an endpoint over UCX names as its lanes. */
@Timeout(60)
final class UcpLanesTest {
    @Test
    void shouldNameWhatUcxHasTaken() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        FairleadConfig config =
                new UcxUnderTest().configure(FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "ucx"));
        List<String> allowed = List.of(config.value(UcxKeys.TLS).split(",", -1));
        List<String> lanes = connectedPath(config).lanes();
        if (UcpLanes.isKnown()) {
            assertFalse(lanes.isEmpty());
            // Such as posix, or rc_verbs/mlx5_0:1.
            lanes.forEach(lane -> assertTrue(
                    allowed.contains(lane.replaceFirst("/.*", "")), () -> "lanes=" + lanes + ", allowed=" + allowed));
        } else {
            assertEquals(allowed, lanes);
        }
    }

    private static Path connectedPath(FairleadConfig config) {
        try (Context here = Context.open(config);
                Context there = Context.open(config);
                Worker server = here.newWorker();
                Worker client = there.newWorker()) {
            Listener listener =
                    server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
            Endpoint endpoint = client.connect(listener.address(), EndpointHandler.NONE);
            while (endpoint.state() == EndpointState.CONNECTING) {
                server.progress();
                client.progress();
            }
            return endpoint.path().orElseThrow();
        }
    }
}
