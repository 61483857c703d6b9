package io.fairlead.internal.access;

import io.fairlead.internal.names.ShownText;
import java.util.ArrayList;
import java.util.List;

/**
 * A text pattern: <code>*</code> matches any characters except separators, or none, and <code>**</code> matches any
 * characters. Everything else matches itself. Matching takes at most the product of both lengths in steps, so no name
 * of a peer makes it slow.
 */
final class Glob {
    private static final int LENGTH_MAX = 1024;

    private enum Kind {
        LITERAL,
        SOME,
        ANY
    }

    private record Part(Kind kind, char literal) {}

    private final String pattern;
    private final String separators;
    private final List<Part> parts = new ArrayList<>();

    /**
     * Reads a pattern.
     *
     * @param pattern the pattern
     * @param separators characters that a single star does not match
     * @throws IllegalArgumentException if the pattern is too long or has three stars in a row
     */
    Glob(String pattern, String separators) {
        if (pattern.length() > LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "pattern is too long: length=" + pattern.length() + ", at most " + LENGTH_MAX + " characters");
        }
        if (pattern.contains("***")) {
            throw new IllegalArgumentException("pattern has three stars in a row: pattern=" + ShownText.of(pattern)
                    + "; * stands for characters up to a separator, ** for any");
        }
        this.pattern = pattern;
        this.separators = separators;
        for (int i = 0; i < pattern.length(); i++) {
            if (pattern.startsWith("**", i)) {
                parts.add(new Part(Kind.ANY, '*'));
                i++;
            } else if (pattern.charAt(i) == '*') {
                parts.add(new Part(Kind.SOME, '*'));
            } else {
                parts.add(new Part(Kind.LITERAL, pattern.charAt(i)));
            }
        }
    }

    /** Whether the pattern matches the whole text. */
    boolean matches(String text) {
        // The parts that may come next, for each prefix of the text in turn.
        boolean[] reached = new boolean[parts.size() + 1];
        reached[0] = true;
        skipStars(reached);
        for (int i = 0; i < text.length(); i++) {
            boolean[] next = new boolean[parts.size() + 1];
            for (int at = 0; at < parts.size(); at++) {
                if (reached[at] && takes(parts.get(at), text.charAt(i))) {
                    next[parts.get(at).kind() == Kind.LITERAL ? at + 1 : at] = true;
                }
            }
            skipStars(next);
            reached = next;
        }
        return reached[parts.size()];
    }

    private boolean takes(Part part, char character) {
        return switch (part.kind()) {
            case LITERAL -> part.literal() == character;
            case SOME -> separators.indexOf(character) < 0;
            case ANY -> true;
        };
    }

    /** A star may match nothing. */
    private void skipStars(boolean[] reached) {
        for (int at = 0; at < parts.size(); at++) {
            if (reached[at] && parts.get(at).kind() != Kind.LITERAL) {
                reached[at + 1] = true;
            }
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Glob that && pattern.equals(that.pattern) && separators.equals(that.separators);
    }

    @Override
    public int hashCode() {
        return pattern.hashCode();
    }

    @Override
    public String toString() {
        return pattern;
    }
}
