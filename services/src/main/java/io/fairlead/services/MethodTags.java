package io.fairlead.services;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The tags of methods: the highest of 48 bits, and 47 bits of the name's SHA-256. Applications number their own services from 0 up, so that their tags
 * do not have that bit. Of a million methods in one node two have the same tag with a probability of 0.4 percent.
 */
final class MethodTags {
    private static final long TYPED = 1L << 47;

    private MethodTags() {}

    static long of(String name) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return TYPED | ByteBuffer.wrap(digest).getLong() >>> 17;
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256", missing);
        }
    }
}
