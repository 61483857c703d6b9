package io.fairlead.samples.orders;

/** The service, as its callers see it. Both sides have this file. */
public interface Orders {
    /** What a caller sends. */
    record Order(String item, int count) {}

    /** What a caller gets. */
    record Receipt(long number, Order order) {}

    /** Takes an order. */
    Receipt place(Order order);
}
