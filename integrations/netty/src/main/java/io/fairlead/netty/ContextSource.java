package io.fairlead.netty;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The context of the event loops that one factory makes. Thread-safe. */
abstract class ContextSource {
    /** A context of the application, which also closes it. */
    static ContextSource of(Context context) {
        return new Given(context);
    }

    /** A context that is opened for the first loop and closed after the last. */
    static ContextSource opening(FairleadConfig config) {
        return new Counted(config);
    }

    /** The context; only between {@link #taken()} and {@link #giveBack()}. */
    abstract Context context();

    /** Counts one more loop, and opens the context for the first one. */
    abstract ContextSource taken();

    /** A loop has ended and its worker is closed. */
    abstract void giveBack();

    private static final class Given extends ContextSource {
        private final Context context;

        Given(Context context) {
            this.context = context;
        }

        @Override
        Context context() {
            return context;
        }

        @Override
        ContextSource taken() {
            return this;
        }

        @Override
        void giveBack() {
            // The application closes its context.
        }
    }

    private static final class Counted extends ContextSource {
        private final FairleadConfig config;
        private int loops;
        private @Nullable Context opened;

        Counted(FairleadConfig config) {
            this.config = config;
        }

        @Override
        synchronized Context context() {
            return Objects.requireNonNull(opened, "opened");
        }

        @Override
        synchronized ContextSource taken() {
            if (loops == 0) {
                opened = Context.open(config);
            }
            loops++;
            return this;
        }

        @Override
        synchronized void giveBack() {
            loops--;
            if (loops == 0) {
                Context last = context();
                opened = null;
                last.close();
            }
        }
    }
}
