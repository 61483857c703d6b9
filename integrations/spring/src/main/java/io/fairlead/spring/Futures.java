package io.fairlead.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Waits for futures of a node where Spring wants results. */
final class Futures {
    /** Far beyond what any of them takes; a thread of Spring's must not wait for ever. */
    private static final long LIMIT_S = 60;

    private Futures() {}

    /** The future's result; throws what it failed with. */
    static <T> T join(CompletableFuture<T> future) {
        try {
            return future.orTimeout(LIMIT_S, TimeUnit.SECONDS).join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw failed;
        }
    }
}
