package io.fairlead.spring.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.spring.FairleadServices;
import io.fairlead.spring.FairleadSets;
import io.fairlead.spring.test.StockApplication.Shelves;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** The slice starts the services of an application alone, on this host, whatever the application is configured for. */
@Timeout(120)
@FairleadTest(
        properties = {
            "fairlead.node.name=under-test",
            "fairlead.security.mode=encrypted",
            "fairlead.spring.services.address=0.0.0.0:7400",
            "fairlead.spring.services.name=zk://10.0.0.1:2181/stock",
            "fairlead.spring.sets=orders=dns:orders.shop:7400, prices=static:10.0.0.1:1,10.0.0.2:1"
        })
class FairleadTestTest {
    @TestConfiguration(proxyBeanMethods = false)
    static class Empty {
        @Bean
        Shelves shelves() {
            return item -> 0;
        }
    }

    @Test
    void shouldStartTheServicesAlone(@Autowired ApplicationContext context) {
        assertTrue(context.getBeansOfType(Page.class).isEmpty());
        assertEquals(1, context.getBean(FairleadServices.class).services().size());
    }

    @Test
    void shouldStayOnThisHost(
            @Autowired Node node, @Autowired FairleadServices services, @Autowired FairleadSets sets) {
        assertTrue(services.address().orElseThrow().getAddress().isLoopbackAddress());
        assertFalse(services.isRegistered());
        assertEquals(ServiceName.parse("memory:orders"), sets.set("orders").name());
        assertEquals(ServiceName.parse("memory:prices"), sets.set("prices").name());
        assertEquals(
                "under-test", node.context().config().value(ConfigKeys.NODE_NAME), "the rest is the application's");
    }
}
