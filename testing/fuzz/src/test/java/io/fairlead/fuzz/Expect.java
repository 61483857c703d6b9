package io.fairlead.fuzz;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.Arrays;

/** What must hold whatever the input is. */
public final class Expect {
    /** Longer lines are no use to whoever reads a log, and a peer must not choose how long they are. */
    private static final int LINE_MAX = 4096;

    private Expect() {}

    /** A rule that an input has broken. */
    public static void that(boolean holds, String rule) {
        if (!holds) {
            throw new AssertionError(rule);
        }
    }

    /** Two things that have to be the same. */
    public static void same(Object expected, Object actual, String rule) {
        if (!expected.equals(actual)) {
            throw new AssertionError(rule + ": expected " + expected + ", but was " + actual);
        }
    }

    /** A failure has one of these reasons, and its message is one line of text. */
    public static void refusal(FairleadException failure, Reason... allowed) {
        if (!Arrays.asList(allowed).contains(failure.reason())) {
            throw new AssertionError("failed for another reason than its own: " + failure.reason(), failure);
        }
        line(String.valueOf(failure.getMessage()));
    }

    /** A text that goes to a log or a terminal is one line without control characters. */
    public static void line(String text) {
        that(!text.isBlank(), "a failure says nothing");
        that(text.length() <= LINE_MAX, "a failure says too much: length=" + text.length());
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                throw new AssertionError("a failure's text has a control character at " + i + ": " + text);
            }
        }
    }
}
