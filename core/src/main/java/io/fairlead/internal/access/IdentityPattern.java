package io.fairlead.internal.access;

import io.fairlead.PeerIdentity;
import io.fairlead.internal.names.ShownText;
import java.util.Locale;

/**
 * The identities that a rule applies to: by the name of the certificate's subject, one of its DNS names or one of its
 * URIs; or every identity.
 */
public final class IdentityPattern {
    private static final String NAME = "name:";
    private static final String DNS = "dns:";
    private static final String URI = "uri:";
    private static final String EVERY = "*";

    private enum Kind {
        EVERY,
        NAME,
        DNS,
        URI
    }

    private final String text;
    private final Kind kind;
    private final Glob glob;

    private IdentityPattern(String text, Kind kind, Glob glob) {
        this.text = text;
        this.kind = kind;
        this.glob = glob;
    }

    /**
     * Reads a pattern.
     *
     * @param text {@code name:}, {@code dns:} or {@code uri:} followed by a pattern, or {@code *}
     * @return the pattern
     * @throws IllegalArgumentException if it is malformed
     */
    public static IdentityPattern of(String text) {
        if (text.equals(EVERY)) {
            return new IdentityPattern(text, Kind.EVERY, new Glob("**", ""));
        }
        if (text.startsWith(NAME) && text.length() > NAME.length()) {
            // Commas separate the parts of a name, and plus signs the values of one part.
            return new IdentityPattern(text, Kind.NAME, new Glob(text.substring(NAME.length()), ",+"));
        }
        if (text.startsWith(DNS) && text.length() > DNS.length()) {
            String lower = text.substring(DNS.length()).toLowerCase(Locale.ROOT);
            return new IdentityPattern(text, Kind.DNS, new Glob(lower, "."));
        }
        if (text.startsWith(URI) && text.length() > URI.length()) {
            return new IdentityPattern(text, Kind.URI, new Glob(text.substring(URI.length()), "/"));
        }
        throw new IllegalArgumentException("identity=" + ShownText.of(text)
                + " says not of what kind it is; write name:, dns: or uri: before it, or * for every peer");
    }

    /**
     * Whether an identity matches.
     *
     * @param identity the authenticated identity of a peer
     * @return whether its name, or one of its names of that kind, matches
     */
    public boolean matches(PeerIdentity identity) {
        return switch (kind) {
            case EVERY -> true;
            case NAME -> glob.matches(identity.name());
            case DNS -> identity.dnsNames().stream().anyMatch(name -> glob.matches(name.toLowerCase(Locale.ROOT)));
            case URI -> identity.uris().stream().anyMatch(glob::matches);
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IdentityPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
