package io.fairlead.spring.orders;

import io.fairlead.spring.FairleadService;
import io.fairlead.spring.ImportFairleadClients;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves orders as a typed service, and takes them over HTTP from those who do not have it. */
// @start region="clients"
@SpringBootApplication(proxyBeanMethods = false)
@ImportFairleadClients(set = "orders", types = OrderDesk.Orders.class, codec = "json", deadline = "2 s")
public class OrderDesk {
    // @end
    public static void main(String[] arguments) {
        SpringApplication.run(OrderDesk.class, arguments);
    }

    public record Order(String item, int count) {}

    public record Receipt(long number, Order order) {}

    // @start region="service"
    public interface Orders {
        Receipt place(Order order);
    }

    @FairleadService(codec = "json")
    static class OrderBook implements Orders {
        private final AtomicLong numbers = new AtomicLong();

        @Override
        public Receipt place(Order order) {
            return new Receipt(numbers.incrementAndGet(), order);
        }
    }
    // @end

    @RestController
    static class Counter {
        private final Orders orders;

        Counter(@Qualifier("ordersClient") Orders orders) {
            this.orders = orders;
        }

        @PostMapping("/orders/{item}/{count}")
        Receipt order(@PathVariable("item") String item, @PathVariable("count") int count) {
            return orders.place(new Order(item, count));
        }
    }
}
