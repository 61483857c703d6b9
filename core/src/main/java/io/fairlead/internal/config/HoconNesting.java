package io.fairlead.internal.config;

import java.util.Arrays;

/**
 * The nesting depth of sections and lists in a HOCON text, without parsing it. The parser recurses once per level, so a
 * deeply nested text would overflow the stack. A key of several names opens as many levels. Quoted text and comments
 * open none.
 */
final class HoconNesting {
    /** More levels than any file needs, using a small part of a thread's stack. */
    static final int LEVELS_MAX = 100;

    private static final String QUOTES = "\"\"\"";

    private final String text;
    /** The outer level of each open bracket. */
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

    /** The line where a text exceeds {@link #LEVELS_MAX}; 0 if it does not. */
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

    /** The parser refuses an unmatched closing bracket. */
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

    /** The position after a quoted text; one without an end ends with its line, or with the text. */
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
