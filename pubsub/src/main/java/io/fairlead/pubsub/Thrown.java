package io.fairlead.pubsub;

import org.jspecify.annotations.Nullable;

/**
 * What the application's handlers and events throw in one call of progress or close, kept until the work of that call is done. Anything
 * may come, because code in other languages throws checked exceptions through methods that declare none.
 */
final class Thrown {
    private @Nullable Throwable first;

    /** Keeps what was thrown; a second one is suppressed by the first. */
    @SuppressWarnings("ReferenceEquality") // An exception cannot suppress itself, whatever it says that it equals.
    void add(Throwable thrown) {
        if (first == null) {
            first = thrown;
        } else if (first != thrown) {
            first.addSuppressed(thrown);
        }
    }

    /** Throws what was kept, as it is. Once only; does nothing if there is nothing. */
    void rethrow() {
        Throwable thrown = first;
        if (thrown != null) {
            first = null;
            Thrown.<RuntimeException>unchecked(thrown);
        }
    }

    @SuppressWarnings("unchecked") // The cast is erased: what is thrown is what was kept.
    private static <T extends Throwable> void unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
