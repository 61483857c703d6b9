package io.fairlead.testkit.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import io.fairlead.testkit.ChosenTransports;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The forger gets past the checks of its own side; a guest that was refused there would prove nothing about network cards. */
@Timeout(60)
final class ForgedKeyTest {
    private static final long LENGTH = 4096;

    @Test
    void shouldBeTakenByTheForgersOwnSide() {
        try (Context context = ChosenTransports.with(
                        List.of(LoopbackProvider.available()), () -> Context.open(FairleadConfig.defaults()));
                Worker worker = context.newWorker();
                MemoryRegion region = context.allocate(LENGTH, Set.of(AccessRight.READ))) {
            Listener listener =
                    worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
            Endpoint endpoint = worker.connect(listener.address(), EndpointHandler.NONE);
            while (endpoint.state() == EndpointState.CONNECTING) {
                worker.progress();
            }
            byte[] forged = ForgedKey.forge(endpoint, region.packedKey(), 0, 16 * LENGTH);
            try (RemoteKey key = endpoint.unpack(forged)) {
                assertEquals(16 * LENGTH, key.length());
            }
        }
    }
}
