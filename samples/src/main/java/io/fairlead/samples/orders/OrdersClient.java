package io.fairlead.samples.orders;

import io.fairlead.FairleadConfig;
import io.fairlead.codec.jackson.JacksonCodec;
import io.fairlead.node.Node;
import io.fairlead.node.PeerSet;
import io.fairlead.node.RequestException;
import io.fairlead.samples.orders.Orders.Order;
import io.fairlead.services.ClientOptions;
import io.fairlead.services.TypedServices;
import java.time.Duration;

/** A process that calls the service. */
public final class OrdersClient {
    /** The argument is the name of the service, such as {@code static:127.0.0.1:7400}. */
    public static void main(String[] args) {
        try (Node node = Node.start(FairleadConfig.load());
                PeerSet members = node.peers(args[0]).join()) {
            ClientOptions options = ClientOptions.DEFAULT.withDeadline(Duration.ofSeconds(2));
            Orders orders = TypedServices.client(members, Orders.class, new JacksonCodec(), options);
            System.out.println(orders.place(new Order("rope", 2)));
            try {
                orders.place(new Order("rope", 0));
            } catch (RequestException refused) {
                System.out.println(refused.status() + " " + refused.text());
            }
        }
    }
}
