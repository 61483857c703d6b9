package io.fairlead.internal.config;

/**
 * An assignment in a configuration file, before the key is looked up.
 *
 * @param name the key's name
 * @param kind the kind of value
 * @param text the value as text
 * @param origin file and line
 */
record FileEntry(String name, Kind kind, String text, String origin) {
    enum Kind {
        /** Text, a number, true or false, or a list of them, which is read as its elements separated by commas. */
        VALUE,
        /** {@code null}, which is not a value of any key. */
        NOTHING,
        /** A section without keys. */
        EMPTY_SECTION
    }
}
