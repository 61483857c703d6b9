package io.fairlead.spring.samples;

import io.fairlead.FairleadException;
import io.fairlead.node.Message;
import io.fairlead.node.Peer;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.spring.FairleadListener;
import io.fairlead.spring.FairleadPeers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Shows over HTTP what a {@link PriceFeed} publishes, asks it for quotes, and publishes orders. */
@SpringBootApplication(proxyBeanMethods = false)
@RestController
public class PriceBoard {
    private final Map<String, String> prices = new ConcurrentHashMap<>();
    private final FairleadPeers peers;
    private final NodeTopic orders;

    PriceBoard(FairleadPeers peers, NodePublisher publisher) {
        this.peers = peers;
        orders = publisher.topic("orders").join();
    }

    public static void main(String[] arguments) {
        SpringApplication.run(PriceBoard.class, arguments);
    }

    // @start region="listener"
    @FairleadListener(topic = "prices")
    void price(String message) {
        String[] parts = message.split(" ", 2);
        prices.put(parts[0], parts[1]);
    }
    // @end

    @GetMapping("/prices/{symbol}")
    String shown(@PathVariable("symbol") String symbol) {
        return prices.getOrDefault(symbol, "none");
    }

    @PostMapping("/orders")
    long order(@RequestBody String order) {
        return orders.publish(order.getBytes(StandardCharsets.UTF_8)).join();
    }

    @GetMapping("/quotes/{symbol}")
    String quote(@PathVariable("symbol") String symbol) {
        try {
            Peer feed = peers.peer("feed");
            byte[] question = symbol.getBytes(StandardCharsets.UTF_8);
            Message reply = feed.request(question, PriceFeed.QUOTE, Duration.ofSeconds(5))
                    .join();
            return new String(reply.bytes(), StandardCharsets.UTF_8);
        } catch (FairleadException | CompletionException lost) {
            throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "the feed does not answer", lost);
        }
    }
}
