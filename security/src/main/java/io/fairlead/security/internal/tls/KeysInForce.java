package io.fairlead.security.internal.tls;

import io.fairlead.security.internal.files.Revocations;

/** What a context's files hold while engines with keys of before are in use. Thread-safe; both answers cost little. */
public interface KeysInForce {
    /**
     * Whether others are in force than those that an engine was made with.
     *
     * @return once true, always true
     */
    boolean areOthers();

    /**
     * Which certificates are refused now.
     *
     * @return the same object until the files change
     */
    Revocations revocations();
}
