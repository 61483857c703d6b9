package io.fairlead.internal.config;

/**
 * An assignment in a configuration file, before anybody has asked whether there is such a key.
 *
 * @param name the key's name
 * @param kind what was assigned
 * @param text the value as text
 * @param origin file and line
 */
record FileEntry(String name, Kind kind, String text, String origin) {
    enum Kind {
        /** Text, a number, true or false, or a list of them, which reads like its elements with commas between. */
        VALUE,
        /** {@code null}, which is no value of any key. */
        NOTHING,
        /** A section without keys. */
        EMPTY_SECTION
    }
}
