package io.fairlead.spring.test;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application with a service, what that needs, and something else. */
@SpringBootApplication(proxyBeanMethods = false)
class StockApplication {
    interface Stock {
        int count(String item);
    }

    interface Shelves {
        int count(String item);
    }
}
