package io.fairlead.cli.demo;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The SHA-256 of rows and their indexes, one after the other: two are equal only if the same rows came in the same order,
 * none twice and none changed.
 */
final class RowChecksum {
    private final MessageDigest digest;
    private final ByteBuffer number = ByteBuffer.allocate(Long.BYTES);

    RowChecksum() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    void add(long index, ByteBuffer row) {
        number.putLong(0, index);
        digest.update(number.array());
        digest.update(row);
    }

    /** Ends the checksum. */
    String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
