package io.fairlead.spi;

import java.util.Objects;

/**
 * One finding of a transport about this host, which {@code fairlead doctor} prints. Immutable and thread-safe.
 *
 * @param level whether the finding needs a fix
 * @param name what was checked, in a few words
 * @param finding what was found, one line with the values
 * @param remedy what to do about it, one line; empty exactly for level {@code OK}
 */
public record Diagnosis(Level level, String name, String finding, String remedy) {
    /** Whether a finding needs a fix. */
    public enum Level {
        /** Nothing needs a fix. */
        OK,
        /** The transport works, but slower or with less than this host offers. */
        WARNING,
        /** The transport, or a device of this host, cannot be used. */
        FAILURE
    }

    /** Checks that warnings and failures have a remedy, and that findings of level {@code OK} have none. */
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
     * Creates a finding of level {@code OK}.
     *
     * @param name what was checked
     * @param finding what was found
     * @return the diagnosis
     */
    public static Diagnosis ok(String name, String finding) {
        return new Diagnosis(Level.OK, name, finding, "");
    }

    /**
     * Creates a finding of level {@code WARNING}.
     *
     * @param name what was checked
     * @param finding what was found, and what it costs
     * @param remedy what to do about it
     * @return the diagnosis
     */
    public static Diagnosis warning(String name, String finding, String remedy) {
        return new Diagnosis(Level.WARNING, name, finding, remedy);
    }

    /**
     * Creates a finding of level {@code FAILURE}.
     *
     * @param name what was checked
     * @param finding what was found, and what it prevents
     * @param remedy what to do about it
     * @return the diagnosis
     */
    public static Diagnosis failure(String name, String finding, String remedy) {
        return new Diagnosis(Level.FAILURE, name, finding, remedy);
    }
}
