package io.fairlead.internal.engine;

import io.fairlead.Path;
import io.fairlead.internal.memory.KeySecret;
import org.jspecify.annotations.Nullable;

/**
 * Values that many endpoints of a worker have in common. A handshake decodes them anew for each endpoint. An endpoint
 * takes the object of the endpoint before it if the two are equal, as with many endpoints to one peer. It keeps one
 * object of each kind, so peers cannot make it grow.
 */
final class SharedValues {
    private @Nullable String name;
    private @Nullable KeySecret secret;
    private @Nullable Path path;

    /** A peer's name. */
    String name(String decoded) {
        String last = name;
        if (last != null && last.equals(decoded)) {
            return last;
        }
        name = decoded;
        return decoded;
    }

    /** The secret that signs a peer's keys. */
    KeySecret secret(KeySecret decoded) {
        KeySecret last = secret;
        if (last != null && last.equals(decoded)) {
            return last;
        }
        secret = decoded;
        return decoded;
    }

    /** The path of a connected endpoint. */
    Path path(Path chosen) {
        Path last = path;
        if (last != null && last.equals(chosen)) {
            return last;
        }
        path = chosen;
        return chosen;
    }
}
