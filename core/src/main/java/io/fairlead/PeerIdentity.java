package io.fairlead;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Who a peer has proved to be when it connected. Immutable. Its texts hold no control characters, so that each is fit for one line of a log.
 *
 * @param name the subject of the peer's certificate as RFC 2253 writes it, such as {@code CN=feed-1,O=Example}; {@code shared-secret} for
 *     one that has proved to know the secret; {@code anonymous} where nothing was asked
 * @param dnsNames the DNS names of the certificate, in its order; empty without one
 * @param uris the URIs of the certificate, in its order; empty without one
 */
public record PeerIdentity(String name, List<String> dnsNames, List<String> uris) {
    /** The most characters of each text. */
    public static final int LENGTH_MAX = 1024;

    /** The most DNS names, and the most URIs. */
    public static final int NAMES_MAX = 64;

    /** A peer that was not asked who it is. */
    public static final PeerIdentity ANONYMOUS = named("anonymous");

    /** A peer of which nothing is known but that it holds the shared secret. */
    public static final PeerIdentity SHARED_SECRET = named("shared-secret");

    private static final String SPIFFE = "spiffe://";

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if a text has a control character or is longer than {@link #LENGTH_MAX}, or a list is longer than
     *     {@link #NAMES_MAX}
     */
    public PeerIdentity {
        dnsNames = List.copyOf(dnsNames);
        uris = List.copyOf(uris);
        check("name", name);
        checkAll("dnsNames", dnsNames);
        checkAll("uris", uris);
    }

    /**
     * An identity without DNS names and URIs.
     *
     * @param name the name
     * @return the identity
     * @throws IllegalArgumentException as the constructor
     */
    public static PeerIdentity named(String name) {
        return new PeerIdentity(name, List.of(), List.of());
    }

    /**
     * The first URI that is a SPIFFE ID.
     *
     * @return such as {@code spiffe://example.org/feed}
     */
    public Optional<String> spiffeId() {
        return uris.stream().filter(uri -> uri.startsWith(SPIFFE)).findFirst();
    }

    /** The SPIFFE ID, or else the name: what a line of a log needs. */
    @Override
    public String toString() {
        return spiffeId().orElse(name);
    }

    private static void checkAll(String field, List<String> texts) {
        if (texts.size() > NAMES_MAX) {
            throw new IllegalArgumentException(
                    "too many names in an identity: " + field + "=" + texts.size() + ", at most " + NAMES_MAX);
        }
        texts.forEach(text -> check(field, text));
    }

    private static void check(String field, String text) {
        Objects.requireNonNull(text, field);
        if (text.length() > LENGTH_MAX) {
            throw new IllegalArgumentException("too long a text in an identity: " + field + "=" + text.length()
                    + " characters, at most " + LENGTH_MAX);
        }
        // Line and paragraph separators end a line for some readers of logs, and marks of direction show text other
        // than it is.
        boolean shown = text.codePoints().noneMatch(character -> switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> true;
            default -> false;
        });
        if (!shown) {
            throw new IllegalArgumentException("a text in an identity has a control character: " + field);
        }
    }
}
