package io.fairlead.internal.names;

/** Sanitizes text that was typed or that another process sent: the result is one line. */
public final class ShownText {
    private static final int LENGTH_MAX = 80;

    private ShownText() {}

    /** The beginning of a text, with spaces for control characters. */
    public static String of(String text) {
        return line(text.length() > LENGTH_MAX ? text.substring(0, LENGTH_MAX) + "..." : text);
    }

    /** A whole text, with spaces for characters that would end its line, control a terminal, or reorder its display. */
    public static String line(String text) {
        if (commandAt(text) < 0) {
            return text;
        }
        return text.codePoints()
                .map(character -> isCommand(character) ? ' ' : character)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** The index of the first character that {@link #line} replaces; -1 if there is none. */
    public static int commandAt(String text) {
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            if (isCommand(text.codePointAt(i))) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isCommand(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
