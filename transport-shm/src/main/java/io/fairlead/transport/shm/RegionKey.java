package io.fairlead.transport.shm;

import io.fairlead.spi.host.HostSecret;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a peer needs to map a region: the {@linkplain MemoryFile#KEY_LENGTH key} of its file, or nothing if the owner serves it, and a signature by
 * which it knows that a process of this user on this host has made it.
 */
final class RegionKey {
    private RegionKey() {}

    /** Signed anew each time, because the secret may have changed. */
    static byte[] encode(byte[] file) {
        return HostSecret.here().withSignature(file);
    }

    /** The key of the file, empty if there is none; null if the bytes are no key of this user's on this host. */
    static byte @Nullable [] decode(byte[] key) {
        int length = key.length - HostSecret.LENGTH;
        return (length == 0 || length == MemoryFile.KEY_LENGTH) && HostSecret.here().signed(key)
                ? Arrays.copyOf(key, length)
                : null;
    }
}
