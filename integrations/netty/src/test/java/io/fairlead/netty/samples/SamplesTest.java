package io.fairlead.netty.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/adapters.md shows runs, over shared memory. */
@Timeout(120)
class SamplesTest {
    private static final FairleadConfig CONFIG = FairleadConfig.defaults()
            .with(ConfigKeys.TRANSPORTS, "shm,tcp")
            .with(ConfigKeys.POLICY, PathPolicy.named("shm"));

    @Test
    void shouldGreetByGrpc() throws Exception {
        assertEquals("hello, world", GrpcSample.greet(CONFIG, "world"));
    }

    @Test
    void shouldSumByFlight() throws Exception {
        assertEquals(4_999_950_000L, FlightSample.sum(CONFIG, 100_000));
    }

    @Test
    void shouldEchoByReactorNetty() {
        assertEquals("over Fairlead", ReactorSample.echo(CONFIG, "over Fairlead"));
    }
}
