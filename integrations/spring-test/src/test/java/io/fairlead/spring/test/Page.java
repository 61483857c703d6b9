package io.fairlead.spring.test;

import org.springframework.stereotype.Component;

/** What a scan of the slice leaves out: it would fail. */
@Component
class Page {
    Page() {
        throw new IllegalStateException("a page that nobody asked for");
    }
}
