package io.fairlead.spi;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Closes what has several parts: a part that cannot be closed keeps no other open. Its calls may be made on any thread.
 *
 * <p>Each call runs every step in its order. What the first failed step threw is thrown when all have run, and what later ones threw is suppressed in it.
 */
public final class CloseSteps {
    private @Nullable Throwable thrown;

    private CloseSteps() {}

    /**
     * Runs each step.
     *
     * @param steps the steps, in their order
     */
    public static void runAll(Runnable... steps) {
        CloseSteps close = new CloseSteps();
        for (Runnable step : steps) {
            close.run(step);
        }
        close.rethrow();
    }

    /**
     * Runs a step for each part.
     *
     * @param <T> the parts
     * @param parts what is to be closed, in this order; a step may remove its part only from a copy
     * @param step closes one part
     */
    public static <T> void runEach(Iterable<? extends T> parts, Consumer<? super T> step) {
        CloseSteps close = new CloseSteps();
        for (T part : parts) {
            close.run(() -> step.accept(part));
        }
        close.rethrow();
    }

    @SuppressWarnings("ReferenceEquality") // No throwable can suppress itself.
    private void run(Runnable step) {
        try {
            step.run();
        } catch (Throwable failure) {
            if (thrown == null) {
                thrown = failure;
            } else if (thrown != failure) {
                thrown.addSuppressed(failure);
            }
        }
    }

    private void rethrow() {
        if (thrown != null) {
            CloseSteps.<RuntimeException>raise(thrown);
        }
    }

    /** A step declares no checked exception, and yet code in another language may throw one. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable failure) throws E {
        throw (E) failure;
    }
}
