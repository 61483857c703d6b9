package io.fairlead.benchmarks.contest;

/** Takes what the connecting side must know of the listening one, before that one waits for it. */
@FunctionalInterface
interface Address {
    void tell(String address);

    default void tell(int port) {
        tell(String.valueOf(port));
    }
}
