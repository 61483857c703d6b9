package io.fairlead.spi;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Closes an object of several parts: a part that fails to close does not keep the others open. Its methods may be
 * called on any thread.
 *
 * <p>Each call runs every step in order. After all steps it throws the exception of the first failed step, with later
 * ones suppressed in it.
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
     * @param parts the parts to close, in this order; a step may remove its part only from a copy
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

    /** A step declares no checked exception, but code in another language may throw one. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable failure) throws E {
        throw (E) failure;
    }
}
