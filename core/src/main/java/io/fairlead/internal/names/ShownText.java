package io.fairlead.internal.names;

/** What a message shows of a text that somebody typed: one line, and not the whole of a long one. */
public final class ShownText {
    private static final int LENGTH_MAX = 80;

    private ShownText() {}

    /** The beginning of a text, with spaces for control characters. */
    public static String of(String text) {
        String cut = text.length() > LENGTH_MAX ? text.substring(0, LENGTH_MAX) + "..." : text;
        char[] characters = cut.toCharArray();
        for (int i = 0; i < characters.length; i++) {
            if (Character.isISOControl(characters[i])) {
                characters[i] = ' ';
            }
        }
        return String.valueOf(characters);
    }
}
