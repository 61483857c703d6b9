package io.fairlead.testkit.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.ChosenTransports;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which of several transports with memory of their own allocates a region. */
@Timeout(60)
final class AllocationOrderTest {
    private final List<String> asked = new ArrayList<>();

    @Test
    void shouldAskTheBestOfAClassFirst() {
        assertEquals(List.of("better", "named"), order(PathPolicy.AUTO));
    }

    @Test
    void shouldAskTheTransportThatThePolicyNamesFirst() {
        assertEquals(List.of("named", "better"), order(PathPolicy.named("named")));
    }

    private List<String> order(PathPolicy policy) {
        FairleadConfig config = FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, "named,better")
                .with(ConfigKeys.POLICY, policy);
        try (Context context = ChosenTransports.with(
                List.of(provider("named", 50), provider("better", 10)), () -> Context.open(config))) {
            context.allocate(4096, Set.of(AccessRight.READ)).close();
        }
        return asked;
    }

    private AllocatingLoopback provider(String name, int rank) {
        return new AllocatingLoopback(name, rank, () -> asked.add(name));
    }
}
