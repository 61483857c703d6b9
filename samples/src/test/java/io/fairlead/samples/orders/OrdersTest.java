package io.fairlead.samples.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.codec.jackson.JacksonCodec;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.samples.orders.Orders.Order;
import io.fairlead.services.TypedServices;
import io.fairlead.servicetest.TestNodes;
import org.junit.jupiter.api.Test;

class OrdersTest {
    @Test
    void shouldRefuseAnEmptyOrder() {
        try (TestNodes nodes = TestNodes.start()) {
            TypedServices.serve(nodes.service(), Orders.class, new OrdersServer.OrderBook(), new JacksonCodec());
            Orders orders = TypedServices.client(nodes.peer(), Orders.class, new JacksonCodec());

            assertEquals(1, orders.place(new Order("rope", 2)).number());
            RequestException refused = assertThrows(RequestException.class, () -> orders.place(new Order("rope", 0)));
            assertEquals(RequestStatus.INVALID_ARGUMENT, refused.status());
        }
    }
}
