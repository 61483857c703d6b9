package io.fairlead.samples.snippets;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.codec.jackson.JacksonCodec;
import io.fairlead.config.ConfigKeys;
import io.fairlead.samples.snippets.TypedOrders.Order;
import io.fairlead.samples.snippets.TypedOrders.OrderBook;
import io.fairlead.samples.snippets.TypedOrders.Orders;
import io.fairlead.services.TypedServices;
import io.fairlead.servicetest.MemoryRegistry;
import io.fairlead.servicetest.TestNodes;
import io.fairlead.servicetest.junit.WithTestNodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
// @start region="members"
@WithTestNodes(members = 2)
final class MembersTest {
    @BeforeEach
    void serve(TestNodes nodes) {
        for (int member = 0; member < 2; member++) {
            TypedServices.serve(nodes.service(member), Orders.class, new OrderBook(), new JacksonCodec());
        }
    }

    @Test
    void shouldCallTheMemberThatIsLeft(TestNodes nodes) {
        Orders orders = TypedServices.client(nodes.peers(), Orders.class, new JacksonCodec());
        nodes.service(0).close();
        for (int number = 1; number <= 10; number++) {
            assertEquals(number, orders.place(new Order("rope", 2)).number());
        }
    }

    @Test
    void shouldKeepItsMembersWhileTheRegistryFails(TestNodes nodes) {
        Orders orders = TypedServices.client(nodes.peers(), Orders.class, new JacksonCodec());
        MemoryRegistry.fail(
                nodes.name().substring("memory:".length()),
                new FairleadException(FairleadException.Reason.TIMED_OUT, "the registry does not answer"));
        while (nodes.peers().failure().isEmpty()) {
            Thread.yield();
        }
        assertEquals(2, nodes.peers().members().size());
        assertEquals(2, orders.place(new Order("rope", 2)).order().count());
    }

    @Test
    void shouldServeOverTcp() {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "tcp");
        try (TestNodes nodes = TestNodes.start(1, config)) {
            TypedServices.serve(nodes.service(), Orders.class, new OrderBook(), new JacksonCodec());
            Orders orders = TypedServices.client(nodes.peer(), Orders.class, new JacksonCodec());
            assertEquals(1, orders.place(new Order("rope", 2)).number());
            assertEquals("tcp", nodes.peer().path().transport());
        }
    }
}
// @end
