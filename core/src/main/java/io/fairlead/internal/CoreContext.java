package io.fairlead.internal;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;

/** The engine behind {@link Context}. */
public final class CoreContext {
    private CoreContext() {}

    /**
     * Opens a context.
     *
     * @param config its configuration
     * @return the context
     */
    public static Context open(FairleadConfig config) {
        throw new UnsupportedOperationException("the engine is being written");
    }
}
