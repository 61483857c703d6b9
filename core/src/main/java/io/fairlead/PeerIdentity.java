package io.fairlead;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The authenticated identity of a connected peer. Immutable. Its texts have no control characters, so each fits one
 * line of a log.
 *
 * @param name the subject of the peer's certificate in the format of RFC 2253, such as {@code CN=feed-1,O=Example};
 *     {@code shared-secret} for a peer that has proved to know the secret; {@code anonymous} without authentication
 * @param dnsNames the DNS names of the certificate, in its order; empty without one
 * @param uris the URIs of the certificate, in its order; empty without one
 */
public record PeerIdentity(String name, List<String> dnsNames, List<String> uris) {
    /** The maximum length of each text in characters. */
    public static final int LENGTH_MAX = 1024;

    /** The maximum number of DNS names, and of URIs. */
    public static final int NAMES_MAX = 64;

    /** A peer without authentication. */
    public static final PeerIdentity ANONYMOUS = named("anonymous");

    /** A peer that has proved only that it knows the shared secret. */
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

    /** The SPIFFE ID, or else the name: the form for logs. */
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
        // Line and paragraph separators end a line in some log viewers. Direction marks make a text look different from
        // what it is.
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
