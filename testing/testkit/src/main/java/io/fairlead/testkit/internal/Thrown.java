package io.fairlead.testkit.internal;

import java.io.IOException;
import java.util.List;

/** What callbacks throw, whether their signatures allow it or not: code in Kotlin, Scala or with Lombok throws whatever it likes. */
public final class Thrown {
    private Thrown() {}

    /** One of each kind: checked, an error, and one that throws again when it is asked for its text. */
    public static List<Throwable> kinds() {
        return List.of(
                new IOException("thrown by a callback of the contract suite, on purpose"),
                new AssertionError("thrown by a callback of the contract suite, on purpose"),
                new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new IllegalArgumentException("thrown by an exception's own text, on purpose");
                    }
                });
    }

    /** Throws it as if it were unchecked; returns nothing, but lets callers end with a throw statement. */
    public static RuntimeException sneak(Throwable thrown) {
        return Thrown.<RuntimeException>unchecked(thrown);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
