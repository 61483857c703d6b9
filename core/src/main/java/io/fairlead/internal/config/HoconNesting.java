package io.fairlead.internal.config;

import java.util.Arrays;

/**
 * How deep the sections and lists of a text in HOCON are inside of each other, without parsing it: the parser calls itself for each level, and a text that is
 * deep enough would overflow the stack of whoever reads it. A key of several names opens as many levels. Text in quotes and comments open none.
 */
final class HoconNesting {
    /** More levels than any file needs, and a small part of what a thread's stack has room for. */
    static final int LEVELS_MAX = 100;

    private static final String QUOTES = "\"\"\"";

    private final String text;
    /** At each bracket that is open, the level around it. */
    private int[] around = new int[16];

    private int open;
    private int level;
    /** Dots since the last character that ends a key. */
    private int dots;

    private int line = 1;
    private int at;

    private HoconNesting(String text) {
        this.text = text;
    }

    /** The number of the line where a text goes deeper than {@link #LEVELS_MAX}; 0 if it does not. */
    static int tooDeepAt(String text) {
        return new HoconNesting(text).scan();
    }

    private int scan() {
        while (at < text.length()) {
            take(text.charAt(at));
            if (level + dots >= LEVELS_MAX) {
                return line;
            }
        }
        return 0;
    }

    private void take(char next) {
        switch (next) {
            case '"' -> {
                skipQuoted();
                return;
            }
            case '#' -> {
                skipComment();
                return;
            }
            case '/' -> {
                if (text.startsWith("//", at)) {
                    skipComment();
                    return;
                }
            }
            case '{', '[' -> push();
            case '}', ']' -> pop();
            case '.' -> dots++;
            case '\n' -> {
                line++;
                dots = 0;
            }
            case ',', '=', ':' -> dots = 0;
            default -> {}
        }
        at++;
    }

    private void push() {
        if (open == around.length) {
            around = Arrays.copyOf(around, 2 * around.length);
        }
        around[open++] = level;
        level += 1 + dots;
        dots = 0;
    }

    /** A bracket that closes nothing is the parser's to refuse. */
    private void pop() {
        level = open == 0 ? level : around[--open];
        dots = 0;
    }

    private void skipComment() {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
    }

    private void skipQuoted() {
        int end = endOfQuoted(text, at);
        line += (int) text.substring(at, end).chars().filter(c -> c == '\n').count();
        at = end;
    }

    /** Where the text goes on behind a quoted one; one without an end ends with its line, or with the text. */
    static int endOfQuoted(String text, int start) {
        if (text.startsWith(QUOTES, start)) {
            int end = text.indexOf(QUOTES, start + QUOTES.length());
            int next = end < 0 ? text.length() : end + QUOTES.length();
            // Quotes before the last three are part of the text.
            while (next < text.length() && text.charAt(next) == '"') {
                next++;
            }
            return next;
        }
        int next = start + 1;
        while (next < text.length() && text.charAt(next) != '\n') {
            char c = text.charAt(next);
            if (c == '"') {
                return next + 1;
            }
            next += c == '\\' && next + 1 < text.length() && text.charAt(next + 1) != '\n' ? 2 : 1;
        }
        return next;
    }
}
