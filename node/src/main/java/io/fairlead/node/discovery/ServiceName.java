package io.fairlead.node.discovery;

import io.fairlead.spi.host.HostPort;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The name of a service: a scheme, which selects the resolver, and what that resolver needs. Immutable.
 *
 * <p>{@code SCHEME:TARGET} or {@code SCHEME://AUTHORITY/TARGET}, such as {@code dns:feed.prod:7400} or {@code zk://10.0.0.1:2181,10.0.0.2:2181/feed}.
 * A text {@code HOST:PORT} is the name {@code static:HOST:PORT}.
 *
 * @param scheme lower-case letters, digits, and {@code + - .}, beginning with a letter
 * @param authority where to ask, such as the registry's servers; empty for the resolver's default
 * @param target what to ask for, without the slash before it; not empty
 */
public record ServiceName(String scheme, String authority, String target) {
    /** The longest name, in characters. */
    public static final int LENGTH_MAX = 1024;

    /** A number is meant as a port, whether it can be one or not: no scheme has a target of digits alone. */
    private static final Pattern ADDRESS = Pattern.compile("(\\[[^\\]]*\\]|[^:\\[\\],/]+):[+-]?\\d+");

    private static final String FORM = "write SCHEME:TARGET or SCHEME://AUTHORITY/TARGET, such as dns:feed.prod:7400";

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if a part is not allowed
     */
    public ServiceName {
        Objects.requireNonNull(scheme, "scheme");
        Objects.requireNonNull(authority, "authority");
        Objects.requireNonNull(target, "target");
        if (!scheme.matches("[a-z][a-z0-9+.-]*")) {
            throw notAName(text(scheme, authority, target), "scheme=\"" + scheme + "\"");
        }
        if (target.isEmpty()) {
            throw notAName(text(scheme, authority, target), "the target is empty");
        }
    }

    /**
     * Parses a name.
     *
     * @param text the name, at most {@value #LENGTH_MAX} characters without white space
     * @return its parts
     * @throws IllegalArgumentException if the text is no such name
     */
    public static ServiceName parse(String text) {
        if (text.length() > LENGTH_MAX) {
            throw new IllegalArgumentException("name of a service too long: length=" + text.length() + ", limit="
                    + LENGTH_MAX + " characters; name fewer hosts");
        }
        if (text.chars().anyMatch(c -> c <= ' ' || Character.isWhitespace(c) || Character.isISOControl(c))) {
            throw notAName(text, "it has white space or control characters");
        }
        if (ADDRESS.matcher(text).matches()) {
            InetSocketAddress _ = HostPort.parse(text, 1);
            return new ServiceName("static", "", text);
        }
        int colon = text.indexOf(':');
        if (colon < 1) {
            throw notAName(text, "it has no scheme");
        }
        String scheme = text.substring(0, colon);
        String rest = text.substring(colon + 1);
        if (!rest.startsWith("//")) {
            return new ServiceName(scheme, "", rest);
        }
        int slash = rest.indexOf('/', 2);
        if (slash < 0) {
            throw notAName(text, "there is no slash behind the authority");
        }
        return new ServiceName(scheme, rest.substring(2, slash), rest.substring(slash + 1));
    }

    /**
     * The exception for a malformed name, for resolvers.
     *
     * @param rule the broken rule with name and value, such as {@code the port is no number: port=x}
     * @param form how to write it instead
     * @return to be thrown
     */
    public IllegalArgumentException malformed(String rule, String form) {
        return new IllegalArgumentException(
                "malformed name of a service: name=" + this + ", " + rule + "; write " + form);
    }

    private static IllegalArgumentException notAName(String text, String rule) {
        return new IllegalArgumentException(
                "malformed name of a service: name=\"" + text + "\", " + rule + "; " + FORM);
    }

    private static String text(String scheme, String authority, String target) {
        return scheme + ":" + (authority.isEmpty() ? "" : "//" + authority + "/") + target;
    }

    @Override
    public String toString() {
        return text(scheme, authority, target);
    }
}
