package io.fairlead.metrics;

import com.sun.net.httpserver.HttpExchange;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.host.FileRights;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
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
     * @throws FairleadException {@code CONFIGURATION} if the file cannot be read, is open to all users of the host, or holds no token
     */
    static BearerToken read(String file) {
        try {
            Path path = Path.of(file);
            if (FileRights.isOpenToAll(path)) {
                throw new FairleadException(
                        Reason.CONFIGURATION,
                        "the token of the metrics server can be read or written by all users of this host:"
                                + " metrics.token-file=" + file + "; chmod 600 " + file);
            }
            return of(Files.readString(path).strip());
        } catch (IOException | InvalidPathException unreadable) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    "cannot read the token of the metrics server: metrics.token-file=" + file + ", cause="
                            + cause(unreadable) + "; make one that this user can read, such as by:"
                            + " (umask 077; openssl rand -hex 32 > " + file + ")",
                    unreadable);
        } catch (IllegalArgumentException noToken) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    "no token for the metrics server: metrics.token-file=" + file + ", " + noToken.getMessage()
                            + "; make one such as by: (umask 077; openssl rand -hex 32 > " + file + ")",
                    noToken);
        }
    }

    private static String cause(Exception unreadable) {
        return switch (unreadable) {
            case NoSuchFileException _ -> "no such file";
            case AccessDeniedException _ -> "access denied";
            case FileSystemException other when other.getReason() != null -> other.getReason();
            case CharacterCodingException _ -> "no text";
            default -> String.valueOf(unreadable.getMessage());
        };
    }

    /** Whether a request has the token. The comparison takes constant time, so its duration leaks nothing. */
    boolean isShownBy(HttpExchange exchange) {
        String header = exchange.getRequestHeaders().getFirst("Authorization");
        return header != null
                && header.toLowerCase(Locale.ROOT).startsWith(SCHEME)
                && MessageDigest.isEqual(
                        word, header.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8));
    }
}
