package io.fairlead.spi;

import java.util.Objects;

/**
 * One thing that a transport looked at on this host, for the reader of {@code fairlead doctor}. Immutable.
 *
 * @param level how bad it is
 * @param name what was looked at, a few words
 * @param finding what was seen there, one line with the values
 * @param remedy what mends it, one line; empty if nothing needs mending
 */
public record Diagnosis(Level level, String name, String finding, String remedy) {
    /** How bad a finding is. */
    public enum Level {
        /** As it should be, or of no consequence. */
        OK,
        /** It works, but slower or with less than this host could. */
        WARNING,
        /** Something that this host has cannot be used. */
        FAILURE
    }

    /** Checks that a finding which needs mending names its remedy. */
    public Diagnosis {
        Objects.requireNonNull(level, "level");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(finding, "finding");
        if (remedy.isEmpty() != (level == Level.OK)) {
            throw new IllegalArgumentException(
                    "a remedy belongs to warnings and failures, and to no other finding: level=" + level + ", name="
                            + name + ", remedy=" + remedy);
        }
    }

    /**
     * A finding that needs no mending.
     *
     * @param name what was looked at
     * @param finding what was seen
     * @return the diagnosis
     */
    public static Diagnosis ok(String name, String finding) {
        return new Diagnosis(Level.OK, name, finding, "");
    }

    /**
     * A finding that costs something.
     *
     * @param name what was looked at
     * @param finding what was seen, and what it costs
     * @param remedy what mends it
     * @return the diagnosis
     */
    public static Diagnosis warning(String name, String finding, String remedy) {
        return new Diagnosis(Level.WARNING, name, finding, remedy);
    }

    /**
     * A finding that keeps something from working.
     *
     * @param name what was looked at
     * @param finding what was seen, and what it prevents
     * @param remedy what mends it
     * @return the diagnosis
     */
    public static Diagnosis failure(String name, String finding, String remedy) {
        return new Diagnosis(Level.FAILURE, name, finding, remedy);
    }
}
