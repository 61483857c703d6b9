package io.fairlead.security.internal.tls;

import io.fairlead.security.internal.files.Revocations;

/** The current keys of a context, for engines with earlier ones. Thread-safe; both methods are cheap. */
public interface KeysInForce {
    /**
     * Whether the current keys differ from an engine's keys.
     *
     * @return once true, always true
     */
    boolean areOthers();

    /**
     * The currently revoked certificates.
     *
     * @return the same object until the files change
     */
    Revocations revocations();
}
