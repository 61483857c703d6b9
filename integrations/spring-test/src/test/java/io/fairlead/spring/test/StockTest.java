package io.fairlead.spring.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import io.fairlead.spring.test.StockApplication.Shelves;
import io.fairlead.spring.test.StockApplication.Stock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@Timeout(120)
// @start region="slice"
@FairleadTest
class StockTest {
    @TestConfiguration(proxyBeanMethods = false)
    static class Full {
        @Bean
        Shelves shelves() {
            return item -> 3;
        }
    }

    @Test
    void shouldCountWhatIsOnTheShelves(@Autowired FairleadTestClient client) {
        Stock stock = client.of(Stock.class);
        assertEquals(3, stock.count("rope"));
        RequestException refused = assertThrows(RequestException.class, () -> stock.count(""));
        assertEquals(RequestStatus.INVALID_ARGUMENT, refused.status());
    }
}
// @end
