package io.fairlead.metrics;

import com.sun.net.httpserver.HttpExchange;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Locale;

/** The word that a request has to show. Immutable and thread-safe. */
final class BearerToken {
    private static final int LENGTH_MIN = 16;
    private static final int LENGTH_MAX = 1024;
    private static final String SCHEME = "bearer ";

    private final byte[] word;

    private BearerToken(String word) {
        this.word = word.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * A token of a word.
     *
     * @throws IllegalArgumentException if it is too short to be a secret, or cannot be in a header
     */
    static BearerToken of(String word) {
        boolean isPlain = word.chars().allMatch(character -> character > ' ' && character < 0x7F);
        if (!isPlain || word.length() < LENGTH_MIN || word.length() > LENGTH_MAX) {
            // The word itself is not for logs.
            throw new IllegalArgumentException("not a token: length=" + word.length() + ", allowed " + LENGTH_MIN
                    + " to " + LENGTH_MAX + " characters of printable ASCII without spaces");
        }
        return new BearerToken(word);
    }

    /**
     * The token that a file holds.
     *
     * @throws FairleadException {@code CONFIGURATION} if the file cannot be read or holds no token
     */
    static BearerToken read(String file) {
        try {
            return of(Files.readString(Path.of(file)).strip());
        } catch (IOException | InvalidPathException unreadable) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    "cannot read the token of the metrics server: metrics.token-file=" + file + ", cause="
                            + unreadable.getClass().getSimpleName()
                            + "; make one that this user can read, such as by: openssl rand -hex 32",
                    unreadable);
        } catch (IllegalArgumentException noToken) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    "no token for the metrics server: metrics.token-file=" + file + ", " + noToken.getMessage()
                            + "; make one such as by: openssl rand -hex 32",
                    noToken);
        }
    }

    /** Whether a request shows it; how long that takes does not tell how much of it was right. */
    boolean isShownBy(HttpExchange exchange) {
        String header = exchange.getRequestHeaders().getFirst("Authorization");
        return header != null
                && header.toLowerCase(Locale.ROOT).startsWith(SCHEME)
                && MessageDigest.isEqual(
                        word, header.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8));
    }
}
